import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { inOnePiece } from './buffer-html.ts';
import { compressed } from './compression.ts';
import { compressedOnce } from './immutable-compression.ts';

vi.mock('node:zlib', { spy: true });

const places = JSON.stringify(Array.from({ length: 500 }, (_, place) => [37 + place / 1e4, -122]));
const forGood = 'private, max-age=31536000, immutable';
let body = places;

// As Next answers: in pieces, with the headers flushed before the first.
const pages = inOnePiece((incoming, response) => {
  response.setHeader('content-type', 'application/json');
  response.setHeader('cache-control', incoming.url === '/now' ? 'no-store' : forGood);
  response.flushHeaders();
  if (incoming.method !== 'HEAD') {
    response.write(body.slice(0, 100));
    response.write(body.slice(100));
  }
  response.end();
}, compressedOnce());
const server = createServer(compressed(pages));

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

test('compresses immutable responses once at the highest level', async () => {
  const first = await ask('/a', 'gzip, br');
  expect(first.headers).toMatchObject({
    'content-encoding': 'br',
    'content-length': String(first.body.length),
    'cache-control': forGood,
    vary: 'Accept-Encoding',
  });
  expect(textOf(first)).toBe(places);
  for (const path of ['/a', '/a?again']) expect((await ask(path, 'gzip, br')).body).toEqual(first.body);
  expect(brotliCompressSync).toHaveBeenCalledTimes(1);
});

test('serves the current version of a changed file', async () => {
  await ask('/b', 'br');
  body = `[${places}]`;
  expect(textOf(await ask('/b', 'br'))).toBe(body);
  body = places;
});

test.each([
  ['gzip', 'gzip'],
  ['gzip, br;q=0', 'gzip'],
  ['identity', undefined],
])('to who takes %s it goes in a form that is taken', async (accepted, form) => {
  const answer = await ask('/c', accepted);
  expect(answer.headers['content-encoding']).toBe(form);
  expect((form ? gunzipSync(answer.body) : answer.body).toString()).toBe(places);
});

test('compresses other responses while streaming', async () => {
  const { headers, ...answer } = await ask('/now', 'br');
  expect([headers['content-encoding'], headers['content-length']]).toEqual(['br', undefined]);
  expect(textOf(answer)).toBe(places);
});

test('sends no body headers in response to HEAD', async () => {
  const { status, headers } = await ask('/d', 'br', 'HEAD');
  expect([status, headers['content-encoding'], headers['content-length']]).toEqual([
    200,
    undefined,
    undefined,
  ]);
});

const textOf = (answer: { body: Buffer }) => brotliDecompressSync(answer.body).toString();

async function ask(path: string, encoding: string, method = 'GET') {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const sent = request({ port, path, method, headers: { 'accept-encoding': encoding } }).end();
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(await answer.toArray()) };
}
