import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '#tools/testing/listen.ts';
import { addErrorMessage } from './error-page.ts';
import { compose, rewriteHtml } from './middleware.ts';
import { holdScripts } from './paint-first.ts';

const [start, rest] = ['<html id="__next_error__"><head></head><body>', '</body></html>'];
const length = `${start.length + rest.length}`;

/** Requests a response that is written as `start` and, after `goOn`, `rest`. */
async function ask(status: number, type: string, more: OutgoingHttpHeaders = {}) {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const server = createServer(
    compose([rewriteHtml(addErrorMessage, holdScripts)], async (_request, response) => {
      response.statusCode = status;
      for (const [name, value] of Object.entries({ 'content-type': type, ...more }))
        response.setHeader(name, value ?? '');
      response.flushHeaders();
      await new Promise<unknown>((taken) => response.write(start, taken));
      await mayGoOn;
      response.end(rest);
      response.end();
    }),
  );
  const response = await fetch(`http://127.0.0.1:${await listen(server)}`);
  return { response, goOn, [Symbol.asyncDispose]: async () => void server.close() };
}

test.each([
  [500, 'This page didn’t load'],
  [404, 'Page not found'],
])('error page: a page with %i has a message for browsers without scripts', async (status, message) => {
  await using exchange = await ask(status, 'text/html; charset=utf-8', {
    link: '</_next/static/a.css>; rel=preload',
  });
  exchange.goOn();
  const text = await exchange.response.text();
  expect(text.startsWith(start) && text.endsWith(rest)).toBe(true);
  expect(text).toContain(message);
  expect(text).toContain('<link rel="stylesheet" href="/_next/static/a.css">');
});

test.each([
  ['a page', 200, 'text/html', {}],
  ['a failed page for a script', 500, 'text/x-component', {}],
  // Next's own page for a failed layout. More bytes would be taken for the next response of the connection.
  [
    'a page with Content-Length',
    500,
    'text/html',
    { 'content-length': length, 'content-security-policy': "script-src 'nonce-1'" },
  ],
])('error page: %s is sent as it is written', async (_what, status, type, more) => {
  await using exchange = await ask(status, type, more);
  const pieces = exchange.response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect(await pieces?.read()).toEqual({ done: false, value: start });
  exchange.goOn();
  expect(await pieces?.read()).toEqual({ done: false, value: rest });
});
