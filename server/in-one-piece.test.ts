import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { inOnePiece } from './in-one-piece.ts';

/** Asks for what is written as `one` and, once that is allowed, ` two`. */
async function ask(type: string, method = 'GET') {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const server = createServer(
    inOnePiece(
      async (_request, response) => {
        response.setHeader('content-type', type);
        response.flushHeaders();
        await new Promise<unknown>((taken) => response.write('one', taken));
        await mayGoOn;
        response.end(' two');
      },
      (page, { statusCode }) => `${statusCode}: ${page}`,
    ),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const answer = await fetch(`http://127.0.0.1:${port}`, { method });
  return { answer, goOn, [Symbol.asyncDispose]: async () => void server.close() };
}

test.each(['text/html; charset=utf-8', 'text/x-component'])(
  'the headers of a page (%s) go at once, and the page when it is whole',
  async (type) => {
    await using asked = await ask(type);
    expect(asked.answer.headers.get('content-type')).toBe(type);
    asked.goOn();
    expect(await asked.answer.text()).toBe('200: one two');
  },
);

test('a file goes as it is written', async () => {
  await using asked = await ask('text/csv');
  const pieces = asked.answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect(await pieces?.read()).toEqual({ done: false, value: 'one' });
  asked.goOn();
  expect(await pieces?.read()).toEqual({ done: false, value: ' two' });
});

test('of a page that only its headers are asked for, nothing else is sent', async () => {
  await using asked = await ask('text/html', 'HEAD');
  asked.goOn();
  expect(await asked.answer.text()).toBe('');
});
