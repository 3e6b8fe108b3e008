import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createServices, provideServices } from '#src/api/services.ts';
import { readSettings } from '#src/settings.ts';
import { limitRenders } from './limit-renders.ts';
import { compose } from './middleware.ts';

test('returns 503 above the concurrency limit; completed and aborted requests free their slot', async () => {
  const waiting: ServerResponse[] = [];
  let isBusy = false;
  const server = createServer(
    compose([limitRenders({ pagesMax: 2, shareMax: 2 }, () => isBusy)], (_request, response) => {
      waiting.push(response);
      server.emit('waiting');
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const ask = async (init: RequestInit = {}, path = '/') => {
    const arrives = once(server, 'waiting');
    const response = fetch(url + path, init);
    response.catch(() => {});
    await arrives;
    return { response };
  };
  const first = await ask();
  const gone = new AbortController();
  await ask({ signal: gone.signal });
  const isGone = once(waiting[1] ?? server, 'close');

  const refused = await fetch(url);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.text()).toContain('Reload it in a moment.');
  const file = await ask({}, '/icon.svg');
  for (const response of waiting.slice(2)) response.end('let through');
  expect((await file.response).status).toBe(200);
  expect((await fetch(url, { method: 'POST', body: 'arrived' })).status).toBe(503);

  waiting[0]?.end('made');
  expect(await (await first.response).text()).toBe('made');
  gone.abort();
  await isGone;
  const others = [await ask(), await ask()];
  for (const response of waiting.slice(3)) response.end('made');
  expect((await Promise.all(others.map(({ response }) => response))).map(({ status }) => status)).toEqual([
    200, 200,
  ]);
  isBusy = true;
  expect((await fetch(url)).status).toBe(503);
  server.close();
});

test('a form counts once its body has arrived, and the page can read it', async () => {
  provideServices(createServices(readSettings(settings)));
  const server = createServer(
    compose([limitRenders({ pagesMax: 1, shareMax: 1 }, () => false)], async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      response.end(text);
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const slow = connect(port, '127.0.0.1').setEncoding('utf8');
  slow.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 8\r\n\r\nhalf');
  await once(server, 'request');
  const post = async (body: BodyInit) => {
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
    return [response.status, response.status === 200 ? await response.text() : ''];
  };
  expect(await post('x'.repeat(16_384))).toEqual([200, 'x'.repeat(16_384)]);
  expect(await post('x'.repeat(16_385))).toEqual([413, '']);
  expect(await post('')).toEqual([400, '']);
  slow.write('half');
  expect((await slow.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 [\s\S]*halfhalf/);
  server.close();
});

const settings = {
  DATABASE_URL: 'postgres://127.0.0.1/none',
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
  SESSION_SECRET: 'b7e3f0a95c2d481e96f4a0d7c83b512e',
  LOG_LEVEL: 'silent',
};

test('returns 503 above the share of a network, and renders pages of others', () => {
  const networks = new Set<string>();
  const begun: { address: string; response: ServerResponse }[] = [];
  let address = '';
  const isOverloaded = (network: string) => {
    networks.add(network);
    return network === '192.0.2.9';
  };
  const listener = compose([limitRenders({ pagesMax: 5, shareMax: 2 }, isOverloaded)], (_, response) =>
    begun.push({ address, response }),
  );
  const open = (from: string) => {
    address = from;
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET' });
    request.headers['x-forwarded-for'] = from;
    const response = new ServerResponse(request);
    listener(request, response);
    return response.writableEnded ? response.statusCode : 'renders';
  };
  expect([1, 2, 3].map((n) => open(`2001:db8::${n}`))).toEqual(['renders', 'renders', 503]);
  expect([1, 2, 3].map(() => open('192.0.2.1'))).toEqual(['renders', 'renders', 503]);
  begun[0]?.response.emit('close');
  expect([open('2001:db8::4'), open('2001:db8::5')]).toEqual(['renders', 503]);
  expect(open('192.0.2.9')).toBe(503);
  expect([open('192.0.2.2'), open('192.0.2.3')]).toEqual(['renders', 503]);
  expect([...networks]).toEqual(['2001:db8::/64', '192.0.2.1', '192.0.2.9', '192.0.2.2']);
});

test('an aborted page request takes no slot', () => {
  const begun: unknown[] = [];
  const listener = compose([limitRenders({ pagesMax: 1, shareMax: 1 }, () => false)], (request) =>
    begun.push(request),
  );
  const [gone, here] = [1, 2].map(() => Object.assign(new IncomingMessage(new Socket()), { method: 'GET' }));
  for (const request of [gone, here]) {
    if (!request) continue;
    const response = new ServerResponse(request);
    if (request === gone) response.destroy();
    listener(request, response);
  }
  expect(begun).toEqual([here]);
});

test.each([
  ['/icon.svg', true],
  ['/favicon.ico?2', true],
  ['/icons/apple.png', true],
  ['/_next/static/chunks/a.js', true],
  ['/icons', false],
  ['/icons/none.png', false],
  ['/x.y', false],
  ['/payout/transactions.csv?from=2026-01', false],
  ['/_next/none.js', false],
  ['/_next/static/../../x.y', false],
  ['/_next/static/%2e%2e/%2E./sign-in', false],
  ['//', false],
])('%s is let through where no page may be made: %s', (url, isLetThrough) => {
  let isReached = false;
  const listener = compose([limitRenders({ pagesMax: 0, shareMax: 0 }, () => false)], () => {
    isReached = true;
  });
  const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url });
  listener(request, new ServerResponse(request));
  expect(isReached).toBe(isLetThrough);
});
