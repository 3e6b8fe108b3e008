import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { networkOf } from '#src/api/client-address.ts';
import { requestIdOf } from '#src/api/request-log.ts';
import { BodilessRequest } from './bodiless-request.ts';
import { isFile } from './file-paths.ts';
import type { Middleware } from './middleware.ts';
import { busyPage } from './plain-page.ts';

export type RenderLimits = {
  /** Pages that render at a time, of all networks and of one. */
  pagesMax: number;
  shareMax: number;
  /** How long a request waits for another page to finish. */
  waitMs: number;
  /** How long a page counts. After that it waits for a client that does not read, which takes no CPU time. */
  renderMaxMs: number;
};

/**
 * Limits how many pages render at a time, for everyone and for each network, so that one leaves pages to others. Further
 * requests wait, those of the network that renders the fewest pages first, and then get 503. Files are not counted. Delete
 * when Next can limit them.
 */
export function limitRenders({ pagesMax, shareMax, waitMs, renderMaxMs }: RenderLimits): Middleware {
  let rendering = 0;
  const shares = new Map<string, number>();
  const waiting = new Set<{ network: string; render: () => void }>();
  const shareOf = (network: string) => shares.get(network) ?? 0;
  const count = (network: string, change: 1 | -1) => {
    const share = shareOf(network) + change;
    rendering += change;
    if (share === 0) shares.delete(network);
    else shares.set(network, share);
  };
  const hasSlot = (network: string) => rendering < pagesMax && shareOf(network) < shareMax;
  const renderNext = () => {
    for (const { network, render } of [...waiting].sort((a, b) => shareOf(a.network) - shareOf(b.network)))
      if (hasSlot(network)) render();
  };
  return (request, response, next) => {
    if (isFile(request.url ?? '/')) return next();
    const network = networkOf(String(request.headers['x-forwarded-for'] ?? ''));
    const render = () => {
      count(network, 1);
      let isOver = false;
      const release = () => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        count(network, -1);
        renderNext();
      };
      const timer = setTimeout(release, renderMaxMs);
      response.once('prefinish', release).once('close', release);
      return next();
    };
    if (response.destroyed) return undefined;
    if (hasSlot(network)) return render();
    const leave = () => {
      clearTimeout(timer);
      response.off('close', leave);
      waiting.delete(entry);
    };
    const entry = {
      network,
      // In the context of this request, not of the one that has finished.
      render: AsyncResource.bind(() => {
        leave();
        render();
      }),
    };
    const timer = setTimeout(() => {
      leave();
      refuseBusy(request, response);
    }, waitMs);
    response.once('close', leave);
    waiting.add(entry);
  };
}

function refuseBusy(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('X-Request-Id', requestIdOf(new BodilessRequest(request, response).headers));
  response.writeHead(503, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Retry-After': '1',
  });
  response.end(busyPage);
}
