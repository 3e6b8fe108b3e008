/**
 * The build's scripts and styles, compressed once and for good: on every request that would cost time, and in the time
 * there is then it comes to more bytes.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { takesBrotli } from './compression.ts';

const compress = promisify(brotliCompress);
const types: Record<string, string> = {
  '.js': 'application/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
};
/** Where the build's own files lie: what is not there is answered without a page. */
export const staticPrefix = '/_next/static/';

/** Writes a compressed twin beside every script and style. @param built the folder `.next` */
export async function compressStaticFiles(built: string): Promise<void> {
  const names = await readdir(path.join(built, 'static'), { recursive: true });
  await Promise.all(
    names
      .filter((name) => path.extname(name) in types)
      .map(async (name) => {
        const file = path.join(built, 'static', name);
        await writeFile(`${file}.br`, await compress(await readFile(file)));
      }),
  );
}

/**
 * Answers for a file that has a compressed twin, when the browser takes it.
 * @returns false for anything else, with nothing written
 */
export async function sendStaticFile(
  built: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const file = twinOf(request);
  if (!file) return false;
  const twin = path.join(built, 'static', file);
  const found = await stat(twin).catch(() => undefined);
  if (!found?.isFile()) return false;
  response.writeHead(200, {
    'Content-Type': types[path.extname(file.slice(0, -3))],
    'Content-Encoding': 'br',
    'Content-Length': found.size,
    // Their names change with their content.
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
  });
  if (request.method === 'HEAD') response.end();
  // A browser that goes away in the middle is no fault.
  else await pipeline(createReadStream(twin), response).catch(() => undefined);
  return true;
}

function twinOf({ method, url = '', headers }: IncomingMessage): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (!url.startsWith(staticPrefix) || !takesBrotli(headers['accept-encoding'])) return undefined;
  const name = url.slice(staticPrefix.length).split(/[?#]/, 1)[0] ?? '';
  // The build's names are plain: nothing that could climb out of the folder is one of them.
  if (!/^[\w~-][\w.~/-]*$/.test(name) || name.includes('..')) return undefined;
  return path.extname(name) in types ? `${name}.br` : undefined;
}
