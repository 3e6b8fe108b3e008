import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '#src/api/problems.ts';
import { pathOf } from '#src/api/request-log.ts';
import { actionsOf, areArguments, isReadableCall } from './action-arguments.ts';
import type { Middleware } from './middleware.ts';
import type { PageActions } from './page-actions.ts';
import { refuse } from './parse-errors.ts';

/** More than the sign-in form needs. */
const formBytesMax = 16 * 1024;

/**
 * Reads the whole body of a form and puts it back for the page's action, so that a slow sender does not count as a page that
 * renders. Refuses a form that React cannot read, and one for an action that the page does not have.
 */
export function receiveForm(actions: PageActions): Middleware {
  return (request, response, next) => {
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
      const own = actions.get(pathOf(request.url ?? ''));
      void actionsIn(request, body).then((ids) => {
        if (!ids) return refuse(response, new HttpProblem('request_unreadable'));
        return ids.every((id) => own?.has(id)) ? next() : refuse(response, outdated());
      });
    };
    // Only the latter for a request without a body.
    request.on('readable', read).on('end', read);
    return undefined;
  };
}

/**
 * For an action of another build, or of another page, which Next would call from its own address. Next’s scripts know the header.
 */
const outdated = () =>
  new HttpProblem('request_unreadable', {
    message: 'This page is from another version of the service. Open it again, and try again.',
    headers: { 'x-nextjs-action-not-found': '1' },
  });

/**
 * Puts a multipart form back as it was read here.
 * @returns the IDs of the actions that are called, or undefined if React cannot read the form or the call
 */
async function actionsIn(request: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<string[] | undefined> {
  const { headers } = request;
  const type = headers['content-type'] ?? '';
  const called = headers['next-action'];
  if (!/^multipart\//i.test(type)) {
    if (called === undefined) return body.length > 0 ? [] : undefined;
    // Next does not call an action with another type, and would render the page uncounted.
    return /^text\/plain/i.test(type) && areArguments(body.toString()) ? [String(called)] : undefined;
  }
  const form = await new Response(body, { headers: { 'Content-Type': type } })
    .formData()
    .catch(() => undefined);
  if (!form || (called !== undefined && !isReadableCall(form))) return undefined;
  const ids = called === undefined ? actionsOf(form) : [String(called)];
  if (ids) await replaceBody(request, new Response(form));
  return ids;
}

/** Encodes a form again, because Next’s parser can read the same bytes in another way than the one that was used here. */
async function replaceBody(request: IncomingMessage, encoded: Response): Promise<void> {
  const bytes = Buffer.from(await encoded.arrayBuffer());
  request.headers['content-type'] = encoded.headers.get('content-type') ?? '';
  request.headers['content-length'] = String(bytes.length);
  request.read();
  request.unshift(bytes);
}
