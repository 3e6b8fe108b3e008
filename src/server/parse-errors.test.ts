import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { operations } from '#src/api/operations/index.ts';
import { createServices, provideServices } from '#src/api/services.ts';
import { readSettings } from '#src/settings.ts';
import { listen } from '#tools/testing/listen.ts';
import { settingsWithoutDatabase } from '#tools/testing/settings.ts';
import { refuseConnect, refuseUnparsed } from './parse-errors.ts';

const services = createServices(readSettings(settingsWithoutDatabase));
const logged = vi.spyOn(services.log, 'info');

beforeEach(() => {
  provideServices(services);
  logged.mockClear();
});

const times = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 };
const server = createServer(times, () => {});
server.on('clientError', refuseUnparsed).on('connect', refuseConnect);
const port = await listen(server);

const address = '192.0.2.7';

afterEach(() => server.closeAllConnections());

/** @param bytes of a client that leaves its half of the connection open */
async function respondTo(bytes: string) {
  const accepted = once(server, 'connection');
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  client.write(bytes);
  const [connection] = await accepted;
  Object.defineProperty(connection, 'remoteAddress', { value: address });
  const closed = once(connection, 'close');
  const response = await text(client.setEncoding('utf8'));
  return { response, client, closed };
}

test.each([
  ['incomplete headers', 408, 'GET /docs HTTP/1.1\r\nHost: x\r\nX-', { method: '', path: '' }],
  [
    'an incomplete body',
    408,
    `POST /docs?a HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Length: 9\r\n\r\nabc`,
    { method: 'POST', path: '/docs' },
  ],
  ['CONNECT', 405, 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', { method: 'CONNECT', path: '' }],
  ['what is not HTTP', 400, 'HELLO\r\n\r\n', { method: '', path: '' }],
])('%s: the connection closes although the client keeps it open', async (_, status, bytes, request) => {
  const { response, client, closed } = await respondTo(bytes);
  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  await closed;
  client.destroy();
  expect(logged.mock.lastCall?.[0]).toMatchObject({ ...request, status, address });
});

test.each(operations)(
  '$id: returns 408 for a request that does not arrive completely',
  async ({ method, path }) => {
    const { response, client } = await respondTo(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc`,
    );
    client.destroy();
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
  },
);

test('an incomplete request whose handler responds meanwhile gets one response', async () => {
  server.once('request', async (_request, response) => {
    // After the parser has failed, and before its refusal is ready.
    await null;
    response.writeHead(401, { 'Content-Length': 0 }).end();
  });
  const { response, client, closed } = await respondTo(
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n',
  );
  expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401']);
  await closed;
  client.destroy();
});
