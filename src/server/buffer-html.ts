import type { ServerResponse } from 'node:http';
import type { Middleware } from './middleware.ts';

/**
 * Next writes a page in pieces within a few milliseconds, and compressing them one by one takes three times as long as
 * compressing them together. So the headers are sent as soon as Next has them, with the fonts to load, and the page when
 * it is complete. Delete when Next can send a page in one piece (`npm run bench`, processor time of the overview).
 * @param finish turns the complete page into what is sent
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
    // A caller may wait to hear that what it wrote was taken.
    const done = parameters.at(-1);
    if (typeof done === 'function') process.nextTick(() => done());
  };
  response.write = (...parameters: unknown[]): boolean => {
    if (!isPage(response)) return Reflect.apply(write, response, parameters);
    // Next would have the buffered chunks flushed.
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

/** A page, or what the browser needs of the next one. */
function isPage(response: ServerResponse): boolean {
  const isHtml = /^text\/(html|x-component)\b/.test(String(response.getHeader('content-type')));
  return isHtml && response.getHeader('content-length') === undefined;
}
