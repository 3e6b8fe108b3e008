import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import type { Middleware } from './middleware.ts';
import { plainPage } from './plain-page.ts';
import { staticPrefix } from './static-files.ts';

const busyPage = plainPage(
  'Busy',
  "We're busy right now",
  "This page couldn't be loaded. Reload it in a moment.",
);

const publicFolder = path.join(import.meta.dirname, '..', '..', 'public');
/** The paths of the files in `public`. */
export const publicFiles = new Set(
  readdirSync(publicFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `/${path.relative(publicFolder, path.join(parentPath, name))}`),
);

/**
 * Limits how many pages render at a time. Further requests get 503 immediately, so that the pages being rendered stay
 * fast. Requests with a body are not counted, because a slow sender could hold a slot for long; files are not either.
 * @param isOverloaded whether rendering would fail because the database is overloaded
 */
export function limitConcurrency(pagesMax: number, isOverloaded: () => boolean): Middleware {
  let rendering = 0;
  return (request, response, next) => {
    if (!isPage(request)) return next();
    if (response.destroyed) return undefined;
    if (rendering >= pagesMax || isOverloaded()) return refuse(response);
    rendering += 1;
    let isOver = false;
    const release = () => {
      if (!isOver) rendering -= 1;
      isOver = true;
    };
    response.once('prefinish', release).once('close', release);
    return next();
  };
}

function isPage({ method, url = '/' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && !isFile(url);
}

/** Resolves `..` as Next does, so that a path cannot pass for a file and reach a page. */
function isFile(url: string): boolean {
  const pathname = URL.parse(url, 'http://localhost')?.pathname ?? '';
  return pathname.startsWith(`${staticPrefix}/`) || publicFiles.has(pathname);
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
