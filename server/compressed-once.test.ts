import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compressed } from './compressed.ts';
import { compressedOnce } from './compressed-once.ts';
import { inOnePiece } from './in-one-piece.ts';

const places = JSON.stringify(Array.from({ length: 500 }, (_, place) => [37 + place / 1e4, -122]));
const forGood = 'private, max-age=31536000, immutable';
let bodiesMade = 0;

// As Next answers: in pieces, with the headers flushed before the first.
const pages = inOnePiece((incoming, response) => {
  bodiesMade += 1;
  response.setHeader('content-type', 'application/json');
  response.setHeader('cache-control', incoming.url === '/now' ? 'no-store' : forGood);
  response.flushHeaders();
  if (incoming.method !== 'HEAD') {
    response.write(places.slice(0, 100));
    response.write(places.slice(100) + ' '.repeat(bodiesMade));
  }
  response.end();
}, compressedOnce());
const server = createServer(compressed(pages));

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

test('what may be kept for good is compressed for the first who asks, and the same for the next', async () => {
  const first = await ask('/a', 'gzip, br');
  expect(first.headers).toMatchObject({
    'content-encoding': 'br',
    'content-length': String(first.body.length),
    'cache-control': forGood,
    vary: 'Accept-Encoding',
  });
  expect(brotliDecompressSync(first.body).toString().trim()).toBe(places);
  expect((await ask('/a', 'gzip, br')).body).toEqual(first.body);
  expect((await ask('/b', 'gzip, br')).body).not.toEqual(first.body);
});

test('to who takes no brotli it goes in a form that is taken', async () => {
  expect((await ask('/c', 'gzip')).headers['content-encoding']).toBe('gzip');
  const plain = await ask('/c', 'identity');
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.body.toString().trim()).toBe(places);
});

test('what is not kept is made anew each time', async () => {
  const [one, other] = [await ask('/now', 'br'), await ask('/now', 'br')];
  expect(one.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(one.body).length).toBeLessThan(brotliDecompressSync(other.body).length);
});

test('a question for the headers alone has no body', async () => {
  const { status, body } = await ask('/d', 'br', 'HEAD');
  expect([status, body.length]).toEqual([200, 0]);
});

async function ask(path: string, encoding: string, method = 'GET') {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const sent = request({ port, path, method, headers: { 'accept-encoding': encoding } }).end();
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(await answer.toArray()) };
}
