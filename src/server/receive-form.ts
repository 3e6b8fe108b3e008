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
    void isForm(request, body).then((isReadable) =>
      isReadable ? next() : refuse(response, new HttpProblem('request_unreadable')),
    );
  };
  // Only the latter for a request without a body.
  request.on('readable', read).on('end', read);
  return undefined;
};

/** Next responds with 500 to a form that it cannot parse. */
async function isForm({ headers }: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<boolean> {
  const type = headers['content-type'] ?? '';
  if (!/^multipart\//i.test(type)) return body.length > 0;
  return new Response(body, { headers: { 'Content-Type': type } }).formData().then(
    () => true,
    () => false,
  );
}
