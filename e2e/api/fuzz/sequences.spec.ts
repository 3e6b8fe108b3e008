import fc from 'fast-check';
import { credentialHeaders, expect, newCustomer, type TestCustomer } from '#e2e/support/fixtures.ts';
import { type RawResponse, sendRaw } from '#e2e/support/http.ts';
import { ScheduleClient } from '#packages/client/index.ts';
import { hostileText } from './bodies.ts';
import { test } from './fuzzed-service.ts';
import { kinds, Model, type Step } from './model.ts';

const isFull = Boolean(process.env.FULL);
const seed = Number(process.env.FUZZ_SEED ?? 20_261_120);

test.describe.configure({ mode: 'default', timeout: isFull ? 3_600_000 : 180_000 });

type OnResponse = (method: string, path: string, response: RawResponse) => void;

function modelFor({ apiKey, apiSecret }: TestCustomer, baseUrl: string, onResponse: OnResponse): Model {
  const checkedFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const headers = Object.fromEntries(response.headers);
    const received = { status: response.status, headers, text: await response.clone().text() };
    onResponse(init?.method ?? 'GET', new URL(String(input)).pathname, received);
    return response;
  };
  const client = new ScheduleClient({ baseUrl, apiKey, apiSecret, retries: 0, fetch: checkedFetch });
  return new Model(client, async (method, target, key, body) => {
    const path = `/api/v1/payment/cards${target && `/${target}`}`;
    const headers = {
      ...credentialHeaders({ apiKey, apiSecret }),
      ...(key && { 'Idempotency-Key': key }),
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const bytes = body && { body: Buffer.from(JSON.stringify(body)) };
    const response = await sendRaw(baseUrl, { method, path, headers, ...bytes });
    onResponse(method, path, response);
    return response;
  });
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('add' as const, 'add' as const, ...kinds),
    pick: fc.nat(),
    byId: fc.boolean(),
    invalidText: hostileText,
  }),
  { minLength: 4, maxLength: 16 },
);

test('addCard, removeCard, getCustomer: any concurrent sequence with retries and invalid requests leaves the cards added and not removed', async ({
  check,
  db,
  service,
}) => {
  const statuses = new Set<string>();
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const faults: string[] = [];
      const model = modelFor(await newCustomer(db), service.url, (method, path, response) => {
        const found = check({ method, path }, response);
        faults.push(...found.map((fault) => `${method} ${path} ${response.status}: ${fault}`));
        statuses.add(`${method} ${response.status}`);
      });
      for (const step of sequence) await model.step(step);
      await model.step({ kind: 'read', pick: 0, byId: false, invalidText: '' });
      expect(faults).toEqual([]);
    }),
    { seed, numRuns: isFull ? 400 : 25 },
  );
  const expected = ['GET 200', 'POST 200', 'POST 400', 'POST 422', 'DELETE 200', 'DELETE 404', 'DELETE 422'];
  expect([...statuses]).toEqual(expect.arrayContaining(expected));
});
