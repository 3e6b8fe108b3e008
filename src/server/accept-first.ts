import type { EventEmitter } from 'node:events';
import type { Listener } from './parse-errors.ts';

/** What is let in within a fraction of a second. */
const ACCEPT_BURST_MAX = 1_000;

/**
 * Lets everybody in who stands at the door before work is begun for anybody. Node accepts one connection each time round
 * its loop (libuv pull request 3696): the busier it is the longer a round takes, and new callers would wait for many
 * of them before they hear as much as that the service is busy.
 * @param server whose connections count
 * @param listener is given the requests, in their order
 */
export function afterArrivals(server: EventEmitter, listener: Listener): Listener {
  let arrived = 0;
  let letIn = 0;
  let held: Parameters<Listener>[] | undefined;
  const look = () => {
    letIn += arrived;
    const isOver = arrived === 0 || letIn >= ACCEPT_BURST_MAX;
    arrived = 0;
    if (!isOver) {
      setImmediate(look);
      return;
    }
    const begun = held ?? [];
    held = undefined;
    letIn = 0;
    // Who left meanwhile gets no answer, and nothing that ends with one may begin.
    for (const [request, response] of begun) if (!response.destroyed) listener(request, response);
  };
  server.on('connection', () => {
    arrived += 1;
    if (held) return;
    held = [];
    setImmediate(look);
  });
  return (request, response) => {
    if (held) held.push([request, response]);
    else listener(request, response);
  };
}
