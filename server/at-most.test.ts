import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { atMost } from './at-most.ts';

test('what is too much is refused at once; whoever is done makes room, and whoever went away', async () => {
  const waiting: ServerResponse[] = [];
  const server = createServer(
    atMost(2, (_request, response) => {
      waiting.push(response);
      server.emit('waiting');
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const ask = async (signal?: AbortSignal) => {
    const arrives = once(server, 'waiting');
    const answer = fetch(url, signal ? { signal } : {});
    answer.catch(() => {});
    await arrives;
    return { answer };
  };
  const first = await ask();
  const gone = new AbortController();
  await ask(gone.signal);
  const isGone = once(waiting[1] ?? server, 'close');

  const refused = await fetch(url);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.text()).toContain('Reload it in a moment.');

  waiting[0]?.end('made');
  expect(await (await first.answer).text()).toBe('made');
  gone.abort();
  await isGone;
  const others = [await ask(), await ask()];
  for (const response of waiting.slice(2)) response.end('made');
  expect((await Promise.all(others.map(({ answer }) => answer))).map(({ status }) => status)).toEqual([
    200, 200,
  ]);
  server.close();
});
