import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { takesBrotli } from './compression.ts';

/** Whether the answer never changes at its address. */
export function isImmutable(response: ServerResponse): boolean {
  return /\bimmutable\b/.test(String(response.getHeader('cache-control')));
}

const entriesMax = 500;

/**
 * What may be kept for good is compressed once, and as small as it gets: the next who ask for it have what the first got.
 * @returns makes what is sent of a whole answer
 */
export function compressedOnce(): (body: Buffer | string, response: ServerResponse) => Buffer | string {
  const known = new Map<string, Buffer>();
  return (body, response) => {
    const isTaken = takesBrotli(response.req.headers['accept-encoding']);
    if (body.length === 0 || !isImmutable(response) || !isTaken) return body;
    const content = createHash('sha256').update(body).digest('base64');
    const small = known.get(content) ?? brotliCompressSync(body);
    if (!known.has(content) && known.size >= entriesMax) known.clear();
    known.set(content, small);
    response.setHeader('content-encoding', 'br');
    response.setHeader('content-length', small.length);
    return small;
  };
}
