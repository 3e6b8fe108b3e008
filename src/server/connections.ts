import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Middleware } from './middleware.ts';

/** More than any client sends ahead. */
const heldMax = 100;
/** How long a kept connection that is idle may send one more request before it is closed. */
const idleGraceMs = 1_000;
const checkEveryMs = 25;

type Connection = {
  /** In progress. */
  response: ServerResponse | null;
  /** What the client has sent ahead. */
  held: [ServerResponse, () => void][];
  /** Before the drain. */
  bytesRead: number;
};

export type Connections = {
  /**
   * Begins one request of a connection at a time. Node.js begins all that a client has sent ahead (pipelining), so one
   * connection could otherwise have thousands in progress. A connection with too many is closed, which the client has to
   * expect (RFC 9112, section 9.3.2).
   */
  middleware: Middleware;
  /**
   * Serves for `drainMs`, so that load balancers notice, then stops accepting, and waits up to `requestsMs` for the
   * requests in flight. Each response of that time closes its connection, so that none is closed under a request.
   */
  close: (times: { drainMs: number; requestsMs: number }) => Promise<void>;
};

/** @param stopping of the services; aborted when the drain begins, so that the service is not ready anymore */
export function trackConnections(server: Server, stopping: AbortController): Connections {
  // A request changes its connection in place, because a Set of requests would keep them in memory after their responses.
  // Decision: docs/decisions/0038-what-makes-reads-fast.md.
  const connections = new Map<Socket, Connection>();
  server.on('connection', (socket) => {
    connections.set(socket, { response: null, held: [], bytesRead: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  const begin = (connection: Connection, response: ServerResponse, next: () => void) => {
    connection.response = response;
    // Node.js then sends `Connection: close`.
    if (stopping.signal.aborted) response.shouldKeepAlive = false;
    response.on('close', () => {
      connection.response = null;
      const { socket } = response.req;
      const following = connection.held.shift();
      // Not after `Connection: close`.
      if (following && socket.writable) begin(connection, ...following);
      else if (!server.listening) socket.destroySoon();
    });
    next();
  };
  const middleware: Middleware = ({ socket }, response, next) => {
    const connection = connections.get(socket);
    if (!connection || connection.held.length === heldMax) socket.destroy();
    else if (connection.response) connection.held.push([response, next]);
    else begin(connection, response, next);
  };
  const drain = async (drainMs: number) => {
    stopping.abort();
    for (const [socket, connection] of connections) {
      if (connection.response) connection.response.shouldKeepAlive = false;
      connection.bytesRead = socket.bytesRead;
    }
    const startedAt = performance.now();
    const elapsedMs = () => performance.now() - startedAt;
    while (elapsedMs() < drainMs || (connections.size > 0 && elapsedMs() < idleGraceMs))
      await delay(checkEveryMs);
  };
  return {
    middleware,
    close: async ({ drainMs, requestsMs }) => {
      if (requestsMs > 0) await drain(drainMs);
      // Not that of HTTP, which takes a connection for idle whose client has not read the whole response.
      const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
      for (const [socket, { response, bytesRead }] of connections)
        if (!response && socket.bytesRead === bytesRead) socket.destroy();
      // The server waits for upgraded sockets (hot reload), but does not track them.
      const timer = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, requestsMs);
      await closed;
      clearTimeout(timer);
    },
  };
}
