/** Serves the scripts and styles of the build, compressed at build time. */
import type { ReadStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import sirv from 'sirv';
import type { Services } from '#src/api/services.ts';
import { staticPrefix } from './file-paths.ts';
import type { Middleware } from './middleware.ts';

const encoders = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) };

const compileHint = '//# allFunctionsCalledOnLoad\n';

/**
 * Marks the scripts that every page loads, so that Chromium compiles them in the background while they load instead of on the
 * main thread while they run (V8's explicit compile hints). Delete when Next can mark them.
 */
export async function markMainScripts(buildFolder: string): Promise<void> {
  const manifest = await readFile(path.join(buildFolder, 'build-manifest.json'), 'utf8');
  const { rootMainFiles } = JSON.parse(manifest) as { rootMainFiles: string[] };
  for (const name of rootMainFiles) {
    const file = path.join(buildFolder, name);
    await writeFile(file, compileHint + (await readFile(file, 'utf8')));
  }
}

/** Writes a compressed copy next to every script and style. @param buildFolder the folder `.next` */
export async function compressStaticFiles(buildFolder: string): Promise<void> {
  const names = await readdir(path.join(buildFolder, 'static'), { recursive: true });
  await Promise.all(
    names
      .filter((name) => ['.js', '.css'].includes(path.extname(name)))
      .map(async (name) => {
        const file = path.join(buildFolder, 'static', name);
        const content = await readFile(file);
        for (const [ending, encode] of Object.entries(encoders))
          await writeFile(`${file}${ending}`, await encode(content));
      }),
  );
}

/** Passes other paths on to Next. Delete when Next serves precompressed files. */
export function staticFiles(buildFolder: string, log: Services['log']): Middleware {
  const serve = sirv(path.join(buildFolder, 'static'), {
    brotli: true,
    gzip: true,
    setHeaders: (response) => {
      // A file's name changes with its content (RFC 8246).
      response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    },
  });
  return (request, response, next) => {
    const { url = '' } = request;
    if (!url.startsWith(`${staticPrefix}/`)) return next();
    response.once('pipe', (file: ReadStream) => {
      // The library would leave the response open.
      file.once('error', (error) => {
        log.error({ error }, 'A file of the build cannot be read.');
        response.destroy();
      });
      // And the file, when the client disconnects.
      response.once('close', () => file.destroy());
    });
    // The library knows no prefix.
    const withoutPrefix = { url: { value: url.slice(staticPrefix.length) } };
    return serve(Object.create(request, withoutPrefix), response, next);
  };
}
