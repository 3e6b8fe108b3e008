import { EventEmitter, once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { acceptFirst } from './accept-first.ts';
import { compose, type Listener } from './middleware.ts';

const log = { error: vi.fn() };

/** Less than the accept backlog of any system. */
const clientCount = 100;

/** A worker that connects all clients, each with a request, and then wakes the thread that waits on `connected`. */
const clientsProgram = `
const { connect } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
let written = 0, completed = 0;
for (let client = 0; client < ${clientCount}; client += 1) {
  const socket = connect(workerData.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n', () => {
    written += 1;
    if (written < ${clientCount}) return;
    Atomics.store(workerData.connected, 0, 1);
    Atomics.notify(workerData.connected, 0);
  });
  socket.resume().once('end', () => {
    completed += 1;
    if (completed === ${clientCount}) parentPort.postMessage('completed');
  });
}`;

/** @returns the number of accepted connections when each request was handled */
async function acceptedBeforeEach(wrap: (server: Server, listener: Listener) => Listener): Promise<number[]> {
  let accepted = 0;
  const counts: number[] = [];
  const server = createServer().on('connection', () => (accepted += 1));
  const listener: Listener = (_, response) => {
    counts.push(accepted);
    response.end('here');
  };
  server.on('request', wrap(server, listener));
  server.listen(0, '127.0.0.1', clientCount + 1);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const clients = new Worker(clientsProgram, { eval: true, workerData: { port, connected } });
  // This thread accepts nobody until all clients have connected.
  if (Atomics.wait(connected, 0, 0, 10_000) === 'timed-out') throw new Error('Not all clients connected.');
  await once(clients, 'message');
  await clients.terminate();
  await new Promise((resolve) => server.close(resolve));
  return counts;
}

test('accept-first: accepts all pending connections before handling requests', async () => {
  const counts = await acceptedBeforeEach((server, listener) =>
    compose([acceptFirst(server, log)], listener),
  );
  expect(counts).toEqual(Array.from({ length: clientCount }, () => clientCount));
  // Node.js without the middleware. If this fails, the middleware can be deleted.
  const [first] = await acceptedBeforeEach((_, listener) => listener);
  expect(first).toBeLessThan(clientCount);
});

test('accept-first: does not handle requests of closed connections', async () => {
  const server = new EventEmitter();
  const handled: unknown[] = [];
  const listener = compose([acceptFirst(server, log)], (request) => handled.push(request));
  const [gone, here] = [new IncomingMessage(new Socket()), new IncomingMessage(new Socket())];
  const left = new ServerResponse(gone);
  server.emit('connection');
  listener(gone, left);
  listener(here, new ServerResponse(here));
  left.destroy();
  expect(handled).toEqual([]);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(handled).toEqual([here]);
});

test('accept-first: an error of one request does not keep the others of a burst', async () => {
  const server = new EventEmitter();
  const handled: unknown[] = [];
  const failure = new Error('This request fails.');
  const listener = compose([acceptFirst(server, log)], (request) => {
    if (request === failing) throw failure;
    handled.push(request);
  });
  const [failing, other] = [new IncomingMessage(new Socket()), new IncomingMessage(new Socket())];
  const response = new ServerResponse(failing);
  server.emit('connection');
  listener(failing, response);
  listener(other, new ServerResponse(other));
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect([handled, response.destroyed]).toEqual([[other], true]);
  expect(log.error).toHaveBeenCalledWith({ error: failure }, 'A request failed.');
});
