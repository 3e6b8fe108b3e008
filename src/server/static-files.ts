/** The build's scripts and styles, compressed once, when it is built: smaller, and no work for a request. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import sirv from 'sirv';
import type { Middleware } from './middleware.ts';

const compress = promisify(brotliCompress);

export const staticPrefix = '/_next/static';

/** Writes a compressed twin beside every script and style. @param buildFolder the folder `.next` */
export async function compressStaticFiles(buildFolder: string): Promise<void> {
  const names = await readdir(path.join(buildFolder, 'static'), { recursive: true });
  await Promise.all(
    names
      .filter((name) => ['.js', '.css'].includes(path.extname(name)))
      .map(async (name) => {
        const file = path.join(buildFolder, 'static', name);
        await writeFile(`${file}.br`, await compress(await readFile(file)));
      }),
  );
}

/** Serves the build's files; what is not there is Next's. Delete when Next serves precompressed files. */
export function staticFiles(buildFolder: string): Middleware {
  const serve = sirv(path.join(buildFolder, 'static'), {
    brotli: true,
    etag: false,
    immutable: true,
    maxAge: 31_536_000,
    setHeaders: (response) => response.setHeader('X-Content-Type-Options', 'nosniff'),
  });
  return (request, response, next) => {
    const { url = '' } = request;
    if (!url.startsWith(`${staticPrefix}/`)) return next();
    request.url = url.slice(staticPrefix.length);
    return serve(request, response, () => {
      request.url = url;
      next();
    });
  };
}
