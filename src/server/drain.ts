import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Middleware } from './middleware.ts';

/** How long a kept connection that is idle may send one more request before it is closed. */
const idleGraceMs = 1_000;
const checkEveryMs = 25;

export type Drain = {
  middleware: Middleware;
  /**
   * Serves for `drainMs`, so that load balancers notice, then stops accepting, and waits up to `requestsMs` for the
   * requests in flight. Each response of that time closes its connection, so that none is closed under a request.
   */
  close: (times: { drainMs: number; requestsMs: number }) => Promise<void>;
};

/** @param stopping of the services; aborted when the drain begins, so that the service is not ready anymore */
export function drainServer(server: Server, stopping: AbortController): Drain {
  const sockets = new Set<Socket>();
  const active = new Set<ServerResponse>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const middleware: Middleware = (_, response, next) => {
    // Node.js then sends `Connection: close`.
    if (stopping.signal.aborted) response.shouldKeepAlive = false;
    active.add(response);
    response.once('close', () => active.delete(response));
    next();
  };
  const drain = async (drainMs: number) => {
    stopping.abort();
    for (const response of active) response.shouldKeepAlive = false;
    const startedAt = performance.now();
    const elapsedMs = () => performance.now() - startedAt;
    while (elapsedMs() < drainMs || (sockets.size > 0 && elapsedMs() < idleGraceMs))
      await delay(checkEveryMs);
  };
  return {
    middleware,
    close: async ({ drainMs, requestsMs }) => {
      if (requestsMs > 0) await drain(drainMs);
      const closed = new Promise((resolve) => server.close(resolve));
      // The server waits for upgraded sockets (hot reload), but does not track them.
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, requestsMs);
      await closed;
      clearTimeout(timer);
    },
  };
}
