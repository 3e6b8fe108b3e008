import { EventEmitter, once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { acceptFirst } from './accept-first.ts';
import { compose, type Listener } from './middleware.ts';

/** Fewer than any system lets wait at the door. */
const CALLERS = 100;

/** Connects so many at once, each with a request; wakes whoever waits on what it shares when all stand at the door. */
const crowd = `
const { connect } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
let written = 0, answered = 0;
for (let caller = 0; caller < ${CALLERS}; caller += 1) {
  const socket = connect(workerData.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n', () => {
    written += 1;
    if (written < ${CALLERS}) return;
    Atomics.store(workerData.connected, 0, 1);
    Atomics.notify(workerData.connected, 0);
  });
  socket.resume().once('end', () => {
    answered += 1;
    if (answered === ${CALLERS}) parentPort.postMessage('answered');
  });
}`;

/** @returns how many had been let in when each request was begun */
async function letInBeforeEach(wrap: (server: Server, listener: Listener) => Listener): Promise<number[]> {
  let letIn = 0;
  const begun: number[] = [];
  const server = createServer().on('connection', () => (letIn += 1));
  const listener: Listener = (_, response) => {
    begun.push(letIn);
    response.end('here');
  };
  server.on('request', wrap(server, listener));
  server.listen(0, '127.0.0.1', CALLERS + 1);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const callers = new Worker(crowd, { eval: true, workerData: { port, connected } });
  // Nobody is let in before all are there.
  if (Atomics.wait(connected, 0, 0, 10_000) === 'timed-out') throw new Error('They did not all come.');
  await once(callers, 'message');
  await callers.terminate();
  await new Promise((resolve) => server.close(resolve));
  return begun;
}

test('accept-first: accepts all pending connections before handling requests', async () => {
  const begun = await letInBeforeEach((server, listener) => compose([acceptFirst(server)], listener));
  expect(begun).toEqual(Array.from({ length: CALLERS }, () => CALLERS));
  // What Node does by itself: without that there would be nothing to do.
  const [first] = await letInBeforeEach((_, listener) => listener);
  expect(first).toBeLessThan(CALLERS);
});

test('accept-first: does not handle requests of closed connections', async () => {
  const server = new EventEmitter();
  const begun: unknown[] = [];
  const listener = compose([acceptFirst(server)], (request) => begun.push(request));
  const [gone, here] = [new IncomingMessage(new Socket()), new IncomingMessage(new Socket())];
  const left = new ServerResponse(gone);
  server.emit('connection');
  listener(gone, left);
  listener(here, new ServerResponse(here));
  left.destroy();
  expect(begun).toEqual([]);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(begun).toEqual([here]);
});
