import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { inOnePiece } from './buffer-html.ts';
import { compressed } from './compression.ts';
import { compressedOnce } from './immutable-compression.ts';

vi.mock('node:zlib', { spy: true });

const coordinates = JSON.stringify(Array.from({ length: 500 }, (_, index) => [37 + index / 1e4, -122]));
const forGood = 'private, max-age=31536000, immutable';
let body = coordinates;

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
  expect(textOf(first)).toBe(coordinates);
  for (const path of ['/a', '/a?again']) expect((await ask(path, 'gzip, br')).body).toEqual(first.body);
  expect(brotliCompressSync).toHaveBeenCalledTimes(1);
});

test('serves the current version of a changed file', async () => {
  await ask('/b', 'br');
  body = `[${coordinates}]`;
  expect(textOf(await ask('/b', 'br'))).toBe(body);
  body = coordinates;
});

test.each([
  ['gzip', 'gzip'],
  ['gzip, br;q=0', 'gzip'],
  ['identity', undefined],
])('to who takes %s it goes in a form that is taken', async (accepted, form) => {
  const response = await ask('/c', accepted);
  expect(response.headers['content-encoding']).toBe(form);
  expect((form ? gunzipSync(response.body) : response.body).toString()).toBe(coordinates);
});

test('compresses other responses while streaming', async () => {
  const { headers, ...response } = await ask('/now', 'br');
  expect([headers['content-encoding'], headers['content-length']]).toEqual(['br', undefined]);
  expect(textOf(response)).toBe(coordinates);
});

test('sends no body headers in response to HEAD', async () => {
  const { status, headers } = await ask('/d', 'br', 'HEAD');
  expect([status, headers['content-encoding'], headers['content-length']]).toEqual([
    200,
    undefined,
    undefined,
  ]);
});

const textOf = (response: { body: Buffer }) => brotliDecompressSync(response.body).toString();

async function ask(path: string, encoding: string, method = 'GET') {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const sent = request({ port, path, method, headers: { 'accept-encoding': encoding } }).end();
  const [response] = await once(sent, 'response');
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.concat(await response.toArray()),
  };
}
