import type { ServerResponse } from 'node:http';
import { brotliCompressSync } from 'node:zlib';

/** Whether the answer never changes at its address. */
export function isKeptForGood(response: ServerResponse): boolean {
  return /\bimmutable\b/.test(String(response.getHeader('cache-control')));
}

const mostKept = 500;

/**
 * What may be kept for good is compressed once, and as small as it gets: the next who ask for it have what the first got.
 * @returns makes what is sent of a whole answer
 */
export function compressedOnce(): (body: Buffer | string, response: ServerResponse) => Buffer | string {
  const known = new Map<string, Buffer>();
  return (body, response) => {
    const { url = '', headers } = response.req;
    if (body.length === 0 || !isKeptForGood(response) || !takesBrotli(headers['accept-encoding']))
      return body;
    const small = known.get(url) ?? brotliCompressSync(body);
    if (known.size >= mostKept) known.clear();
    known.set(url, small);
    response.setHeader('content-encoding', 'br');
    response.setHeader('content-length', small.length);
    return small;
  };
}

/** @param accepted the request's `Accept-Encoding` */
export function takesBrotli(accepted: string | string[] = ''): boolean {
  return /\bbr\b/.test(String(accepted));
}
