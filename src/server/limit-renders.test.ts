import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createServices, provideServices } from '#src/api/services.ts';
import { readSettings } from '#src/settings.ts';
import { fakeTimers, timerCount } from '#tools/testing/fake-timers.ts';
import { listen } from '#tools/testing/listen.ts';
import { settingsWithoutDatabase } from '#tools/testing/settings.ts';
import { limitRenders, type RenderLimits } from './limit-renders.ts';
import { compose, logPages } from './middleware.ts';
import { receiveForm } from './receive-form.ts';

const renderMaxMs = 10_000;

test('returns 503 above the concurrency limit; completed and aborted requests free their slot', async () => {
  const waiting: ServerResponse[] = [];
  const server = createServer(
    compose([limitRenders({ pagesMax: 2, shareMax: 2, waitMs: 0, renderMaxMs })], (_request, response) => {
      waiting.push(response);
      server.emit('waiting');
    }),
  );
  const url = `http://127.0.0.1:${await listen(server)}`;
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
  server.close();
});

test('a form counts once its body has arrived, and the page can read it if it can be parsed', async () => {
  provideServices(createServices(readSettings(settingsWithoutDatabase)));
  const server = createServer(
    compose(
      [receiveForm(new Map()), limitRenders({ pagesMax: 1, shareMax: 1, waitMs: 0, renderMaxMs })],
      async (request, response) => {
        let text = '';
        for await (const chunk of request) text += chunk;
        response.end(text);
      },
    ),
  );
  const port = await listen(server);
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
  expect(await post(new Blob(['--x\r\n'], { type: 'multipart/form-data; boundary=x' }))).toEqual([400, '']);
  expect(await post(new Blob(['--x\r\n'], { type: 'Multipart/Form-Data' }))).toEqual([400, '']);
  slow.write('half');
  expect((await slow.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 [\s\S]*halfhalf/);
  server.close();
});

/** Opens pages whose renders end when the test says so. */
function openPages(limits: Omit<RenderLimits, 'waitMs' | 'renderMaxMs'>) {
  fakeTimers();
  const storage = new AsyncLocalStorage<string>();
  const begun: string[] = [];
  const listener = compose([limitRenders({ ...limits, waitMs: 100, renderMaxMs })], () =>
    begun.push(storage.getStore() ?? ''),
  );
  /** @param name of the page, which starts with its network's address */
  const open = (name: string) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET' });
    request.headers['x-forwarded-for'] = name.split(' ')[0] ?? '';
    const response = new ServerResponse(request);
    storage.run(name, () => listener(request, response));
    return response;
  };
  return { begun, open };
}

test('pages above the share of a network wait, those of others render', () => {
  const { begun, open } = openPages({ pagesMax: 5, shareMax: 2 });
  const [first] = [1, 2, 3].map((host) => open(`2001:db8::${host}`));
  for (const page of ['a', 'b', 'c']) open(`192.0.2.1 ${page}`);
  expect(begun).toEqual(['2001:db8::1', '2001:db8::2', '192.0.2.1 a', '192.0.2.1 b']);
  first?.emit('close');
  expect(begun.slice(4)).toEqual(['2001:db8::3']);
});

test('the next page to render is one of the network that renders the fewest', () => {
  const { begun, open } = openPages({ pagesMax: 3, shareMax: 3 });
  const pages = [
    '192.0.2.1 a',
    '192.0.2.1 b',
    '192.0.2.2 a',
    '192.0.2.1 c',
    '192.0.2.2 b',
    '192.0.2.3 a',
  ].map(open);
  for (const page of pages.slice(0, 3)) page.emit('close');
  expect(begun.slice(3)).toEqual(['192.0.2.3 a', '192.0.2.1 c', '192.0.2.2 b']);
});

test('returns 503 to a page that has waited for too long', () => {
  const { begun, open } = openPages({ pagesMax: 1, shareMax: 1 });
  const [first, second] = [open('192.0.2.1 a'), open('192.0.2.1 b')];
  vi.advanceTimersByTime(99);
  expect(second.writableEnded).toBe(false);
  vi.advanceTimersByTime(1);
  expect([second.writableEnded, second.statusCode]).toEqual([true, 503]);
  first.emit('close');
  expect(begun).toEqual(['192.0.2.1 a']);
});

test('pages that are refused, and those whose client has left, are logged', async () => {
  const services = createServices(readSettings(settingsWithoutDatabase));
  const logged = vi.spyOn(services.log, 'info');
  const refused = vi.spyOn(services.log, 'warn');
  const limit = limitRenders({ pagesMax: 1, shareMax: 1, waitMs: 0, renderMaxMs });
  const server = createServer(compose([logPages(services), limit], () => void server.emit('waiting')));
  const url = `http://127.0.0.1:${await listen(server)}/cards`;
  const [gone, arrives] = [new AbortController(), once(server, 'waiting')];
  const left = fetch(url, { signal: gone.signal, headers: { 'X-Request-Id': 'left-page' } });
  left.catch(() => {});
  await arrives;
  const busy = await fetch(url);
  await expect
    .poll(() => refused.mock.lastCall?.[0])
    .toMatchObject({
      ...{ operation: 'page', path: '/cards', status: 503 },
      requestId: busy.headers.get('x-request-id'),
    });
  gone.abort();
  await expect
    .poll(() => logged.mock.lastCall?.[0])
    .toMatchObject({
      ...{ operation: 'page', path: '/cards', status: 499, requestId: 'left-page' },
    });
  server.close();
});

test('a page whose client does not read its response keeps no slot', () => {
  const { begun, open } = openPages({ pagesMax: 1, shareMax: 1 });
  const stalled = open('192.0.2.1 a');
  vi.advanceTimersByTime(renderMaxMs - 1);
  open('192.0.2.2 a');
  expect(begun).toEqual(['192.0.2.1 a']);
  vi.advanceTimersByTime(1);
  expect(begun).toEqual(['192.0.2.1 a', '192.0.2.2 a']);
  stalled.emit('close');
  open('192.0.2.3 a');
  expect(begun, 'its slot was freed once').toHaveLength(2);
});

test('a page that was closed while it waited does not render', () => {
  const { begun, open } = openPages({ pagesMax: 1, shareMax: 1 });
  const [first, second] = ['a', 'b', 'c'].map((page) => open(`192.0.2.1 ${page}`));
  second?.emit('close');
  expect(timerCount('limit-renders.ts')).toBe(2);
  first?.emit('close');
  expect([begun, timerCount('limit-renders.ts')]).toEqual([['192.0.2.1 a', '192.0.2.1 c'], 1]);
});

test('an aborted page request takes no slot', () => {
  const begun: unknown[] = [];
  const listener = compose([limitRenders({ pagesMax: 1, shareMax: 1, waitMs: 0, renderMaxMs })], (request) =>
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
  const listener = compose([limitRenders({ pagesMax: 0, shareMax: 0, waitMs: 0, renderMaxMs })], () => {
    isReached = true;
  });
  const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url });
  listener(request, new ServerResponse(request));
  expect(isReached).toBe(isLetThrough);
});
