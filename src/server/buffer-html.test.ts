import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { bufferHtml } from './buffer-html.ts';
import { compose } from './middleware.ts';

/** Requests a response that is written as `one` and, after `goOn`, ` two`. */
async function ask(type: string, more: OutgoingHttpHeaders = {}) {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const server = createServer(
    compose([bufferHtml((page, { statusCode }) => `${statusCode}: ${page}`)], async (_request, response) => {
      for (const [name, value] of Object.entries({ 'content-type': type, ...more }))
        response.setHeader(name, value ?? '');
      response.flushHeaders();
      await new Promise<unknown>((taken) => response.write('one', taken));
      await mayGoOn;
      response.end(' two');
      response.end();
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const response = await fetch(`http://127.0.0.1:${port}`);
  return { response, goOn, [Symbol.asyncDispose]: async () => void server.close() };
}

test.each(['text/html; charset=utf-8', 'text/x-component'])(
  'sends the headers of a page (%s) immediately and the page when it is complete',
  async (type) => {
    await using exchange = await ask(type);
    expect(exchange.response.headers.get('content-type')).toBe(type);
    exchange.goOn();
    expect(await exchange.response.text()).toBe('200: one two');
  },
);

test.each([
  ['a file', 'text/csv', {}],
  ['a response with Content-Length', 'text/html', { 'content-length': '7' }],
])('%s is not buffered', async (_what, type, more) => {
  await using exchange = await ask(type, more);
  const pieces = exchange.response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect(await pieces?.read()).toEqual({ done: false, value: 'one' });
  exchange.goOn();
  expect(await pieces?.read()).toEqual({ done: false, value: ' two' });
});
