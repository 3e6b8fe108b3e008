import type { ServerResponse } from 'node:http';
import type { Middleware } from './middleware.ts';

/**
 * Next writes a page in chunks within a few milliseconds, and compressing them one by one takes three times as long as
 * compressing them together. So the headers, with the fonts to preload, are sent as soon as Next has them, and the page
 * is buffered until it is complete. Delete when Next can send a page as one chunk (`npm run bench`, CPU time of the
 * overview).
 * @param finish transforms the complete page
 */
export function bufferHtml(finish: (page: Buffer, response: ServerResponse) => Buffer | string): Middleware {
  return (_request, response, next) => {
    bufferPage(response, finish);
    next();
  };
}

function bufferPage(response: ServerResponse, finish: Parameters<typeof bufferHtml>[0]): void {
  const { write, end } = response;
  const chunks: Buffer[] = [];
  const hold = (parameters: unknown[]) => {
    const [chunk] = parameters;
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    // Some callers wait for the write callback.
    const done = parameters.at(-1);
    if (typeof done === 'function') process.nextTick(() => done());
  };
  response.write = (...parameters: unknown[]): boolean => {
    if (!isPage(response)) return Reflect.apply(write, response, parameters);
    // Next flushes after each chunk.
    Object.assign(response, { flush: undefined });
    hold(parameters);
    return true;
  };
  response.end = (...parameters: unknown[]): ServerResponse => {
    response.end = end;
    if (!isPage(response)) return Reflect.apply(end, response, parameters);
    hold(parameters);
    return response.end(finish(Buffer.concat(chunks), response));
  };
}

/** An HTML page, or the RSC payload of a client-side navigation. */
function isPage(response: ServerResponse): boolean {
  const isHtml = /^text\/(html|x-component)\b/.test(String(response.getHeader('content-type')));
  return isHtml && response.getHeader('content-length') === undefined;
}
