import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '#src/api/problems.ts';
import { areArguments, isReadableCall, isReadableForm } from './action-arguments.ts';
import type { Middleware } from './middleware.ts';
import { refuse } from './parse-errors.ts';

/** More than the sign-in form needs. */
const formBytesMax = 16 * 1024;

/**
 * Reads the whole body of a form and puts it back for the page's action, so that a slow sender does not count as a page that
 * renders. Refuses a form that React cannot read.
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
    // Before the end of the request, after which nothing can be put back.
    request.unshift(body);
    void checkBody(request, body).then((isReadable) =>
      isReadable ? next() : refuse(response, new HttpProblem('request_unreadable')),
    );
  };
  // Only the latter for a request without a body.
  request.on('readable', read).on('end', read);
  return undefined;
};

/**
 * Puts a multipart form back as it was read here.
 * @returns whether React can read the form or the call of an action
 */
async function checkBody(request: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<boolean> {
  const { headers } = request;
  const type = headers['content-type'] ?? '';
  const isCall = headers['next-action'] !== undefined;
  if (!/^multipart\//i.test(type)) return isCall ? areArguments(body.toString()) : body.length > 0;
  const form = await new Response(body, { headers: { 'Content-Type': type } })
    .formData()
    .catch(() => undefined);
  if (!form || !(isCall ? isReadableCall(form) : isReadableForm(form))) return false;
  await replaceBody(request, new Response(form));
  return true;
}

/** Encodes a form again, because Next’s parser can read the same bytes in another way than the one that was used here. */
async function replaceBody(request: IncomingMessage, encoded: Response): Promise<void> {
  const bytes = Buffer.from(await encoded.arrayBuffer());
  request.headers['content-type'] = encoded.headers.get('content-type') ?? '';
  request.headers['content-length'] = String(bytes.length);
  request.read();
  request.unshift(bytes);
}
