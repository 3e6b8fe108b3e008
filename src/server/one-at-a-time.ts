import type { Socket } from 'node:net';
import type { Middleware } from './middleware.ts';

/** More than any client sends ahead. */
const heldMax = 100;

/**
 * Begins one request of a connection at a time. Node.js begins all that a client has sent ahead (pipelining), so one
 * connection could otherwise have thousands in progress. A connection with too many is closed, which the client has to
 * expect (RFC 9112, section 9.3.2).
 */
export function oneAtATime(): Middleware {
  const connections = new WeakMap<Socket, (() => void)[]>();
  return ({ socket }, response, next) => {
    const held = connections.get(socket);
    const begin = () => {
      response.once('close', () => {
        const following = connections.get(socket)?.shift();
        if (!following) connections.delete(socket);
        // Not after `Connection: close`.
        else if (socket.writable) following();
      });
      next();
    };
    if (!held) {
      connections.set(socket, []);
      begin();
    } else if (held.length < heldMax) held.push(begin);
    else socket.destroy();
  };
}
