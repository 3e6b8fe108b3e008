import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { compose } from './middleware.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** A server whose responses end when the test says so, and a connection to it. */
async function startServer() {
  const begun: { request: IncomingMessage; response: ServerResponse }[] = [];
  const server = createServer(
    compose([oneAtATime()], (request, response) => {
      begun.push({ request, response });
      server.emit('begun');
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return { server, socket, begun };
}

const get = (path: number) => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('pipelining: begins the next request of a connection when the response before it has ended', async () => {
  const { server, socket, begun } = await startServer();
  socket.write([1, 2].map(get).join('') + get(3).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  for (const n of [1, 2, 3]) {
    if (begun.length < n) await once(server, 'begun');
    expect(begun.map(({ request }) => request.url)).toEqual(['/1', '/2', '/3'].slice(0, n));
    begun[n - 1]?.response.end(`[${n}]`);
  }
  const text = (await socket.toArray()).join('');
  expect(text.match(/\[\d\]/g)).toEqual(['[1]', '[2]', '[3]']);
});

test('pipelining: begins nothing for a client that has disconnected', async () => {
  const { server, socket, begun } = await startServer();
  socket.write([1, 2].map(get).join(''));
  await once(server, 'begun');
  const closed = once(begun[0]?.response ?? server, 'close');
  socket.destroy();
  await closed;
  expect(begun).toHaveLength(1);
});

test('pipelining: closes a connection that sends too many requests ahead', async () => {
  const { socket, begun } = await startServer();
  socket.on('error', () => {});
  socket.write(Array.from({ length: 3_000 }, (_, index) => get(index)).join(''));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(begun).toHaveLength(1);
});
