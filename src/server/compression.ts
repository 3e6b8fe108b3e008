import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';
import type { Listener } from './parse-errors.ts';

/** Smaller than Next's own gzip, and sooner done: a window of 64 KB holds a page, and the usual one takes megabytes for each. */
const brotli = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 16 },
};

/** Answers in the smallest form that the browser takes: brotli or gzip, and what is already small as it is. */
export function compressed(listener: Listener): Listener {
  const compress = compression({ brotli, filter: isCompressible });
  return (request, response) => compress(request, response, () => void listener(request, response));
}

/** @param accepted the request's `Accept-Encoding` */
export function takesBrotli(accepted: string | string[] = ''): boolean {
  return /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(accepted));
}

/** Next sets the headers of route handlers as lists, and of a list the library says that it cannot be compressed. */
function isCompressible(request: IncomingMessage, response: ServerResponse): boolean {
  const type = response.getHeader('content-type');
  if (Array.isArray(type)) response.setHeader('content-type', type.join());
  return compression.filter(request, response);
}
