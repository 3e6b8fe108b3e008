import type { EventEmitter } from 'node:events';
import type { Middleware } from './middleware.ts';

/** Connections accepted within a fraction of a second. */
const acceptBurstMax = 1_000;

/**
 * Accepts every waiting connection before work on requests begins. Node accepts one connection per turn of its event
 * loop (libuv pull request 3696). In a busy process each turn takes long, so new callers would wait for many turns even
 * for a 503.
 * Delete when libuv accepts connections in batches again, or when accept-first.test.ts passes without it.
 */
export function acceptFirst(server: EventEmitter): Middleware {
  let arrivedCount = 0;
  let acceptedCount = 0;
  let held: Parameters<Middleware>[] | undefined;
  const check = () => {
    acceptedCount += arrivedCount;
    const isOver = arrivedCount === 0 || acceptedCount >= acceptBurstMax;
    arrivedCount = 0;
    if (!isOver) {
      setImmediate(check);
      return;
    }
    const released = held ?? [];
    held = undefined;
    acceptedCount = 0;
    // The caller may have disconnected meanwhile.
    for (const [, response, next] of released) if (!response.destroyed) next();
  };
  server.on('connection', () => {
    arrivedCount += 1;
    if (held) return;
    held = [];
    setImmediate(check);
  });
  return (request, response, next) => {
    if (held) held.push([request, response, next]);
    else next();
  };
}
