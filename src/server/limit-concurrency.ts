import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import type { Listener } from './parse-errors.ts';
import { staticPrefix } from './static-files.ts';

const busyPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Busy</title>
<h1>Too many people at once</h1>
<p>This page could not be made just now. Reload it in a moment.</p>
</html>
`;

const publicFolder = path.join(import.meta.dirname, '..', '..', 'public');
/** The addresses of what lies in `public`. */
export const publicFiles = new Set(
  readdirSync(publicFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `/${path.relative(publicFolder, path.join(parentPath, name))}`),
);

/**
 * Has so many pages made at once and no more: the rest is refused at once with 503, so that those under way stay fast.
 * What has a body is let through, as a slow sender could hold its place for long, and so are files, which nobody makes.
 * @param isBusy whether a page could not be made anyway
 */
export function atMost(most: number, isBusy: () => boolean, listener: Listener): Listener {
  let underWay = 0;
  return (request, response) => {
    if (!isPage(request)) return listener(request, response);
    if (response.destroyed) return undefined;
    if (underWay >= most || isBusy()) return refuse(response);
    underWay += 1;
    let isOver = false;
    const leave = () => {
      if (!isOver) underWay -= 1;
      isOver = true;
    };
    response.once('prefinish', leave).once('close', leave);
    return listener(request, response);
  };
}

function isPage({ method, url = '/' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && !isFile(url);
}

/** Goes by the address as Next reads it, without the `..` that could lead from a file to a page. */
function isFile(url: string): boolean {
  const pathname = URL.parse(url, 'http://localhost')?.pathname ?? '';
  return pathname.startsWith(staticPrefix) || publicFiles.has(pathname);
}

function refuse(response: ServerResponse): void {
  response.writeHead(503, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Retry-After': '1',
  });
  response.end(busyPage);
}
