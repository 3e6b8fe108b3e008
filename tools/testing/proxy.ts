/** A proxy between the service and a peer that shows each message to a function, which can hold it back. */
import { connect as connectTo, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

/** `before`: the message has not reached the other side; `after`: done there, and the server has not heard of it. */
export type Passing = {
  peer: 'database' | 'provider';
  moment: 'before' | 'after';
  what: string;
  bytes: Buffer;
};

/** @returns whether the message goes on */
export type Watch = (passing: Passing) => boolean;

/** @param target can be changed to lead later connections elsewhere */
export async function startProxy(peer: Passing['peer'], target: URL, watch: Watch = () => true, port = 0) {
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const upstream = connectTo(Number(target.port), target.hostname);
    let what = 'connect';
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      // A peer that ends resets its connections.
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      what = nameOf(peer, chunk) ?? what;
      if (watch({ peer, moment: 'before', what, bytes: chunk })) upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (watch({ peer, moment: 'after', what, bytes: chunk })) client.write(chunk);
    });
  });
  const url: URL = Object.assign(new URL(target), { host: `127.0.0.1:${await listen(listener, port)}` });
  /** Ends all connections, as a restart of the peer does. */
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  /** Ends all connections, as a crash of the peer's machine does. */
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const close = async () => {
    cut();
    await new Promise((resolve) => listener.close(resolve));
  };
  return { url, cut, reset, close };
}

/** A short description of a message for the table of results. */
function nameOf(peer: Passing['peer'], chunk: Buffer): string | null {
  const text = chunk.toString('latin1');
  if (peer === 'provider') return /^[A-Z]+ (?=\/v1)\S+/.test(text) ? shortPath(text) : null;
  const [statement] = /(?:select|insert into|update|delete from)\b[^\0]{0,400}/i.exec(text) ?? [];
  if (!statement) return null;
  const called = /\b(activate_card|card_refusal|refresh_card)\b/.exec(statement)?.[1];
  const table = /"(idempotency_keys|limit_counts|provider_events|secrets|customers|cards)"/.exec(
    statement,
  )?.[1];
  return `${statement.split(/\s/)[0]?.toLowerCase()} ${called ?? table ?? '…'}`;
}

function shortPath(text: string): string {
  const [method, path = ''] = text.split(' ', 2);
  return `${method} ${path.replace(/_[A-Za-z0-9]{14,}/g, '_…')}`;
}
