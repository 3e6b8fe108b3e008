import { createServer, type ServerResponse } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { addressesOf } from '#app/(dashboard)/service-area/addresses.ts';
import { services } from '#src/api/services.ts';
import { readSession } from '#src/api/session.ts';
import { signIn, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { listen } from '#tools/testing/listen.ts';

const waiting: ServerResponse[] = [];
const geocoder = createServer((_, response) => void waiting.push(response));
afterAll(() => void geocoder.close());
const service = await testService({ GEOCODER_URL: `http://127.0.0.1:${await listen(geocoder)}/search` });

async function newSession() {
  const session = await readSession(services(), await signIn(await newCustomer(service.db)));
  if (!session) throw new Error('The session has ended.');
  return session;
}

test('addressesOf: a customer has two searches at a time, and others are searched meanwhile', async () => {
  const [session, other] = [await newSession(), await newSession()];
  const running = [addressesOf('a', session), addressesOf('b', session)];
  expect(await addressesOf('c', session)).toBeUndefined();
  running.push(addressesOf('d', other));
  await expect.poll(() => waiting.length).toBe(3);
  for (const response of waiting) response.end('[]');
  expect(await Promise.all(running)).toEqual([[], [], []]);
  const next = addressesOf('e', session);
  await expect.poll(() => waiting.length).toBe(4);
  waiting[3]?.end('[]');
  expect(await next).toEqual([]);
});
