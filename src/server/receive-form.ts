import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '#src/api/problems.ts';
import type { Middleware } from './middleware.ts';
import { refuse } from './parse-errors.ts';

/** More than the sign-in form needs. */
const formBytesMax = 16 * 1024;

/**
 * Reads the whole body of a form, and puts it back for the page's action, so that a slow sender does not count as a page that
 * renders.
 */
export const receiveForm: Middleware = (request, response, next) => {
  if (request.method !== 'POST') return next();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const read = () => {
    for (let chunk: Buffer | null = request.read(); chunk; chunk = request.read()) {
      bytes += chunk.length;
      chunks.push(chunk);
    }
    if (!request.complete && bytes <= formBytesMax) return;
    request.off('readable', read).off('end', read);
    if (bytes > formBytesMax) return void refuse(response, new HttpProblem('body_too_large'));
    const body = Buffer.concat(chunks);
    request.unshift(body);
    void isReadable(request, body).then((canRead) =>
      canRead ? next() : refuse(response, new HttpProblem('request_unreadable')),
    );
  };
  // Only the latter for a request without a body.
  request.on('readable', read).on('end', read);
  return undefined;
};

/**
 * Whether React can read a form or a call of an action. Next responds with 500 to others, and never to those that refer to
 * themselves. Delete when it responds with 400.
 */
async function isReadable({ headers }: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<boolean> {
  const type = headers['content-type'] ?? '';
  const isCall = headers['next-action'] !== undefined;
  if (!/^multipart\//i.test(type)) return isCall ? areArguments(body.toString()) : body.length > 0;
  const form = await new Response(body, { headers: { 'Content-Type': type } })
    .formData()
    .catch(() => undefined);
  if (!form) return false;
  return isCall ? areArguments(only(form, '0')) : actionsOf(form).every((action) => isAction(form, action));
}

/** @returns the prefixes of the fields that hold an action and its arguments */
const actionsOf = (form: FormData): string[] =>
  [...form.keys()].flatMap((name) => (name.startsWith('$ACTION_REF_') ? [name.replace('REF_', '')] : []));

const isAction = (form: FormData, action: string): boolean =>
  /^\{"id":"[\da-f]{40,42}","bound":"\$@1"\}$/.test(String(only(form, `${action}:0`))) &&
  areArguments(only(form, `${action}:1`));

/** @returns the value of a field, unless it is missing or repeated */
function only(form: FormData, name: string): FormDataEntryValue | undefined {
  const values = form.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

/** The previous state of a form, and its fields. */
const argumentsMax = 2;

/** The states of our forms are flat. */
function areArguments(json: unknown): boolean {
  const values = typeof json === 'string' ? parse(json) : undefined;
  if (!Array.isArray(values) || values.length > argumentsMax) return false;
  return values.every((value) =>
    typeof value === 'object' && value !== null ? Object.values(value).every(isPlain) : isPlain(value),
  );
}

/**
 * React takes a text that begins with `$` for a reference, and escapes others as `$$`. Ours refer only to `undefined` and to a
 * form’s fields.
 */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^(?!\$)|^\$(\$|undefined$|K[\da-f]+$)/.test(value)
    : value === null || typeof value !== 'object';

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
