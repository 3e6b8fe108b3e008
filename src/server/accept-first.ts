import type { EventEmitter } from 'node:events';
import type { Services } from '#src/api/services.ts';
import type { Middleware } from './middleware.ts';

/** Connections accepted within a fraction of a second. */
const acceptBurstMax = 1_000;
/** Work of a few milliseconds. */
const releasedPerTurn = 64;

/**
 * Accepts every waiting connection before work on requests begins. Node accepts one connection per turn of its event
 * loop (libuv pull request 3696). In a busy process each turn takes long, so new callers would wait for many turns even
 * for a 503. The requests of a burst then start a few per turn, so that they do not hold up the next ones of others.
 * Delete when libuv accepts connections in batches again, or when accept-first.test.ts passes without it.
 */
export function acceptFirst(server: EventEmitter, log: Pick<Services['log'], 'error'>): Middleware {
  let arrivedCount = 0;
  let acceptedCount = 0;
  let isAccepting = false;
  let isReleasing = false;
  const held: Parameters<Middleware>[] = [];
  const check = () => {
    acceptedCount += arrivedCount;
    isAccepting = arrivedCount > 0 && acceptedCount < acceptBurstMax;
    arrivedCount = 0;
    if (isAccepting) return void setImmediate(check);
    acceptedCount = 0;
    if (!isReleasing) release();
  };
  const release = () => {
    const released = isAccepting ? [] : held.splice(0, releasedPerTurn);
    isReleasing = held.length > 0;
    if (isReleasing) setImmediate(release);
    for (const [, response, next] of released) {
      // The caller may have disconnected meanwhile.
      if (response.destroyed) continue;
      try {
        next();
      } catch (error) {
        // The others of the burst are still to come.
        log.error({ error }, 'A request failed.');
        response.destroy();
      }
    }
  };
  server.on('connection', () => {
    arrivedCount += 1;
    if (isAccepting) return;
    isAccepting = true;
    setImmediate(check);
  });
  return (request, response, next) => {
    if (isAccepting) held.push([request, response, next]);
    else next();
  };
}
