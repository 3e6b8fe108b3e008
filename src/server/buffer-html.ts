import type { ServerResponse } from 'node:http';
import { isImmutable } from './immutable-compression.ts';
import type { Listener } from './parse-errors.ts';

/**
 * Next writes a page in pieces within a few milliseconds, and to compress them one by one takes three times as long as to
 * compress them together. So the headers go as soon as Next has them, with the fonts to load, and the page goes when it is whole.
 * What may be kept for good goes whole with its headers.
 * @param finished makes what is sent of what was written
 */
export function inOnePiece(
  pages: Listener,
  finished: (page: Buffer, response: ServerResponse) => Buffer | string,
): Listener {
  return (request, response) => {
    holdPage(response, finished);
    return pages(request, response);
  };
}

function holdPage(response: ServerResponse, finished: Parameters<typeof inOnePiece>[1]): void {
  const { write, end, flushHeaders } = response;
  const held: Buffer[] = [];
  const hold = (parameters: unknown[]) => {
    const [chunk] = parameters;
    if (typeof chunk === 'string') held.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) held.push(Buffer.from(chunk));
    // A caller may wait to hear that what it wrote was taken.
    const done = parameters.at(-1);
    if (typeof done === 'function') process.nextTick(() => done());
  };
  response.flushHeaders = () => {
    if (!isImmutable(response)) Reflect.apply(flushHeaders, response, []);
  };
  response.write = (...parameters: unknown[]): boolean => {
    if (!isRendered(response)) return Reflect.apply(write, response, parameters);
    // Next would have what is held flushed.
    Object.assign(response, { flush: undefined });
    hold(parameters);
    return true;
  };
  response.end = (...parameters: unknown[]): ServerResponse => {
    response.end = end;
    if (!isRendered(response)) return Reflect.apply(end, response, parameters);
    hold(parameters);
    return response.end(finished(Buffer.concat(held), response));
  };
}

/** What is made for the request, and no file of the build: a page, what the browser needs of the next one, what it keeps. */
function isRendered(response: ServerResponse): boolean {
  const isPage = /^text\/(html|x-component)\b/.test(String(response.getHeader('content-type')));
  return (isPage || isImmutable(response)) && response.getHeader('content-length') === undefined;
}
