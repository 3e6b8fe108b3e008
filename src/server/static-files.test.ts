import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '#tools/testing/listen.ts';
import { compose } from './middleware.ts';
import { compressStaticFiles, markMainScripts, staticFiles } from './static-files.ts';

const script = 'export const value = 42;\n'.repeat(100);
let built: string;
let server: Server;
let port: number;
const logged: string[] = [];
const log = pino({}, { write: (line) => void logged.push(line) });
const urls: (string | undefined)[] = [];

beforeAll(async () => {
  built = await mkdtemp(path.join(tmpdir(), 'static-files-'));
  await mkdir(path.join(built, 'static', 'chunks'), { recursive: true });
  await writeFile(path.join(built, 'static', 'chunks', 'a~b.js'), script);
  await writeFile(path.join(built, 'static', 'picture.png'), 'no text');
  // More than the buffers of a connection hold.
  await writeFile(path.join(built, 'static', 'large.png'), Buffer.alloc(20_000_000));
  await writeFile(path.join(built, 'secret.js.br'), 'outside');
  await compressStaticFiles(built);
  server = createServer(compose([staticFiles(built, log)], (_, response) => response.writeHead(418).end()));
  port = await listen(server);
});

beforeAll(() => {
  server.prependListener('request', (incoming, response) =>
    response.once('finish', () => urls.push(incoming.url)),
  );
});

afterAll(async () => {
  server.close();
  await rm(built, { recursive: true });
});

it('serves the precompressed file with an immutable Cache-Control', async () => {
  const response = await get('/_next/static/chunks/a~b.js');
  expect(response.status).toBe(200);
  expect(response.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': 'text/javascript',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect(brotliDecompressSync(response.body).toString()).toBe(script);
});

it('leaves the URL of a request as it was', async () => {
  await get('/_next/static/chunks/a~b.js');
  expect(urls.at(-1)).toBe('/_next/static/chunks/a~b.js');
});

it.each([
  ['gzip', 'gzip', gunzipSync],
  ['identity', undefined, (body: Buffer) => body],
] as const)('serves what accepts only %s in that encoding', async (accepted, encoding, decode) => {
  const response = await get('/_next/static/chunks/a~b.js', accepted);
  expect([response.status, response.headers['content-encoding']]).toEqual([200, encoding]);
  expect(decode(response.body).toString()).toBe(script);
});

it.each([
  ['a missing file', '/_next/static/chunks/gone.js', 'br'],
  ['a path out of the folder', '/_next/static/../secret.js', 'br'],
  ['an escaped path out of the folder', '/_next/static/%2e%2e/secret.js', 'br'],
  ['another path', '/sign-in', 'br'],
])('leaves %s to Next', async (_what, url, encoding) => {
  expect((await get(url, encoding)).status).toBe(418);
});

async function get(url: string, encoding = 'gzip, br') {
  return await new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      // `fetch` would normalize the path.
      const sent = request({ port, path: url, headers: { 'accept-encoding': encoding } }, (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(parts) }),
        );
      });
      sent.once('error', reject).end();
    },
  );
}

it('closes the connection of a file that cannot be read, and logs why', async () => {
  await rm(path.join(built, 'static', 'picture.png'));
  await expect(get('/_next/static/picture.png')).rejects.toThrow('socket hang up');
  expect(logged).toEqual([expect.stringContaining('ENOENT')]);
});

it('closes the file of a client that disconnects', async () => {
  const file = new Promise<Readable>((resolve) => {
    server.prependOnceListener('request', (_, response) => response.once('pipe', resolve));
  });
  request({ port, path: '/_next/static/large.png' }, (incoming) => incoming.destroy()).end();
  const stream = await file;
  await expect.poll(() => stream.closed).toBe(true);
});

it('marks the scripts that every page loads for early compilation, and no others', async () => {
  await writeFile(path.join(built, 'build-manifest.json'), '{"rootMainFiles":["static/chunks/main.js"]}');
  await writeFile(path.join(built, 'static', 'chunks', 'main.js'), script);
  await markMainScripts(built);
  const read = (name: string) => readFile(path.join(built, 'static', 'chunks', name), 'utf8');
  expect(await read('main.js')).toBe(`//# allFunctionsCalledOnLoad\n${script}`);
  expect(await read('a~b.js')).toBe(script);
});
