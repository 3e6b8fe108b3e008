import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Drain, drainServer } from './drain.ts';
import { compose } from './middleware.ts';

const times = { drainMs: 0, requestsMs: 5_000 };
let stopping: AbortController;
let drain: Drain;
let agent: Agent;
let port = 0;
/** Responses to /held wait in it. */
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
  drain = drainServer(server, stopping);
  server.on(
    'request',
    compose([drain.middleware], ({ url }, response) => {
      if (url === '/held') held.push(response);
      else response.end('done');
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterEach(async () => {
  agent.destroy();
  await (closing ?? drain.close(times));
});

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
  closing = drain.close(times);
  expect(stopping.signal.aborted).toBe(true);
  expect(await get('/')).toEqual({ localPort: first.localPort, connection: 'close' });
  await closing;
});

test('drain: a request in flight is completed, and its response closes the connection', async () => {
  const response = get('/held');
  await expect.poll(() => held).toHaveLength(1);
  closing = drain.close(times);
  held[0]?.end('done');
  expect((await response).connection).toBe('close');
  await closing;
});

test('drain: new connections are accepted during the drain and refused after it', async () => {
  closing = drain.close({ ...times, drainMs: 500 });
  expect((await get('/')).connection).toBe('close');
  await closing;
  await expect(get('/')).rejects.toThrow('ECONNREFUSED');
});

test('drain: a request that does not end is cut off at last', async () => {
  const response = get('/held');
  response.catch(() => {});
  await expect.poll(() => held).toHaveLength(1);
  closing = drain.close({ drainMs: 0, requestsMs: 1 });
  await closing;
  await expect(response).rejects.toThrow('socket hang up');
});
