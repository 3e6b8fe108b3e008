import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '#tools/testing/listen.ts';
import { type Connections, trackConnections } from './connections.ts';
import { compose } from './middleware.ts';

/** Requests may take longer than a test. */
const times = { drainMs: 0, requestsMs: 300_000 };
let stopping: AbortController;
let connections: Connections;
let agent: Agent;
let port = 0;
/** The responses to paths that begin with /held, which end when the test says so. */
let held: ServerResponse[] = [];
let closing: Promise<void> | undefined;

beforeEach(async () => {
  [stopping, agent, held, closing] = [
    new AbortController(),
    new Agent({ keepAlive: true, maxSockets: 1 }),
    [],
    undefined,
  ];
  const server = createServer();
  connections = trackConnections(server, stopping);
  server.on(
    'request',
    compose([connections.middleware], ({ url }, response) => {
      if (url?.startsWith('/held')) held.push(response);
      else response.end('done');
    }),
  );
  port = await listen(server);
});

afterEach(async () => {
  vi.restoreAllMocks();
  agent.destroy();
  await (closing ?? connections.close(times));
});

/** Stops the clock of the drain, so that it does not end while the machine is busy. @returns a function that sets it forward */
function stopClock() {
  // A whole number, so that differences are exact.
  const nowMs = Math.ceil(performance.now());
  const clock = vi.spyOn(performance, 'now').mockReturnValue(nowMs);
  return (ms: number) => clock.mockReturnValue(nowMs + ms);
}

async function get(path: string) {
  const sent = request({ port, path, agent }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { localPort } = response.socket;
  await response.toArray();
  return { localPort, connection: response.headers.connection };
}

test('drain: a kept connection gets one more response, which closes it', async () => {
  const first = await get('/');
  expect(first.connection).toBe('keep-alive');
  stopClock();
  closing = connections.close(times);
  expect(stopping.signal.aborted).toBe(true);
  expect(await get('/')).toEqual({ localPort: first.localPort, connection: 'close' });
  await closing;
});

test('drain: a request in flight is completed, and its response closes the connection', async () => {
  const response = get('/held');
  await expect.poll(() => held).toHaveLength(1);
  closing = connections.close(times);
  held[0]?.end('done');
  expect((await response).connection).toBe('close');
  await closing;
});

test('drain: new connections are accepted during the drain and refused after it', async () => {
  const setForward = stopClock();
  closing = connections.close({ ...times, drainMs: 500 });
  expect((await get('/')).connection).toBe('close');
  setForward(500);
  await closing;
  await expect(get('/')).rejects.toThrow('ECONNREFUSED');
});

test('drain: a request that does not end is cut off at last', async () => {
  const response = get('/held');
  response.catch(() => {});
  await expect.poll(() => held).toHaveLength(1);
  closing = connections.close({ drainMs: 0, requestsMs: 1 });
  await closing;
  await expect(response).rejects.toThrow('socket hang up');
});

test('drain: a client that reads slowly gets the whole response', async () => {
  const socket = pipeline(['/held']);
  await expect.poll(() => held).toHaveLength(1);
  // More than the buffers of both sockets hold.
  const body = 'x'.repeat(20_000_000);
  held[0]?.end(body);
  await once(socket, 'readable');
  closing = connections.close(times);
  await expect.poll(() => get('/').catch(({ code }) => code)).toBe('ECONNREFUSED');
  const text = (await socket.toArray()).join('');
  expect(text.length - text.indexOf('\r\n\r\n') - 4).toBe(body.length);
});

test('drain: does not wait for a kept connection, or one over which nothing was sent', async () => {
  await get('/');
  const socket = connect(port, '127.0.0.1');
  const closed = once(socket.resume(), 'close');
  await once(socket, 'connect');
  closing = connections.close(times);
  await closed;
  await closing;
});

/** A connection that sends these requests at once. */
function pipeline(paths: string[]) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  return socket;
}

test('pipelining: begins the next request of a connection when the response before it has ended', async () => {
  const socket = pipeline(['/held/1', '/held/2', '/held/3']);
  for (const n of [1, 2, 3]) {
    await expect.poll(() => held).toHaveLength(n);
    expect(held.map(({ req }) => req.url)).toEqual(['/held/1', '/held/2', '/held/3'].slice(0, n));
    if (n === 3) closing = connections.close(times);
    held[n - 1]?.end(`[${n}]`);
  }
  const text = (await socket.toArray()).join('');
  expect(text.match(/\[\d\]/g)).toEqual(['[1]', '[2]', '[3]']);
});

test('pipelining: begins nothing for a client that has disconnected', async () => {
  const socket = pipeline(['/held/1', '/held/2']);
  await expect.poll(() => held).toHaveLength(1);
  const closed = once(held[0] as ServerResponse, 'close');
  socket.destroy();
  await closed;
  expect(held).toHaveLength(1);
});

test('pipelining: begins nothing after the response that closes the connection in a drain', async () => {
  const socket = pipeline(['/held/1', '/held/2']);
  await expect.poll(() => held).toHaveLength(1);
  closing = connections.close(times);
  held[0]?.end('[1]');
  expect((await socket.toArray()).join('')).toMatch(/Connection: close.*\[1\]$/s);
  expect(held).toHaveLength(1);
});

test('pipelining: closes a connection that sends too many requests ahead', async () => {
  const socket = pipeline(Array.from({ length: 3_000 }, (_, index) => `/held/${index}`));
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  expect(held).toHaveLength(1);
});
