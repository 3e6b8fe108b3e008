import fc from 'fast-check';
import { expect, newCustomer, type TestCustomer, test } from '#e2e/support/fixtures.ts';
import { ScheduleClient } from '#packages/client/index.ts';
import { hostileText } from './bodies.ts';
import type { Served } from './check-response.ts';
import { type ResponseCheck, responseCheck } from './check-response.ts';
import { kinds, Model, type Step } from './model.ts';
import { type FuzzedService, sendRaw, startFuzzedService } from './service.ts';

const isFull = Boolean(process.env.FULL);
const seed = Number(process.env.FUZZ_SEED ?? 20_261_120);

test.describe.configure({ mode: 'default', timeout: isFull ? 3_600_000 : 180_000 });

let service: FuzzedService;
let check: ResponseCheck;
/** What was wrong with responses, each with its request. */
let faults: string[] = [];
const statuses = new Map<string, number>();
test.beforeAll(async () => {
  test.setTimeout(180_000);
  service = await startFuzzedService();
  check = responseCheck((await (await fetch(`${service.url}/openapi.json`)).json()) as Served);
});
test.afterAll(() => service?.stop());

function checkAndCount(method: string, path: string, response: Parameters<ResponseCheck>[1]): void {
  const found = check({ method, path }, response);
  faults.push(...found.map((fault) => `${method} ${path} ${response.status}: ${fault}`));
  const line = `${method} ${response.status}`;
  statuses.set(line, (statuses.get(line) ?? 0) + 1);
}

const checkedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const headers = Object.fromEntries(response.headers);
  const received = { status: response.status, headers, text: await response.clone().text() };
  checkAndCount(init?.method ?? 'GET', new URL(String(input)).pathname, received);
  return response;
};

function modelFor({ apiKey, apiSecret }: TestCustomer): Model {
  const options = { baseUrl: service.url, apiKey, apiSecret, retries: 0, fetch: checkedFetch };
  return new Model(new ScheduleClient(options), async (method, target, key, body) => {
    const path = `/api/v1/payment/cards${target && `/${target}`}`;
    const headers = {
      'X-AUTH-APIKEY': apiKey,
      'X-AUTH-APISECRET': apiSecret,
      ...(key && { 'Idempotency-Key': key }),
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const bytes = body && { body: Buffer.from(JSON.stringify(body)) };
    const response = await sendRaw(service.url, { method, path, headers, ...bytes });
    checkAndCount(method, path, response);
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

test('addCard, removeCard, getCustomer: any concurrent sequence with retries and invalid requests leaves the cards added and not removed', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      faults = [];
      const model = modelFor(await newCustomer(service.db));
      for (const step of sequence) await model.step(step);
      await model.step({ kind: 'read', pick: 0, byId: false, invalidText: '' });
      expect(faults).toEqual([]);
    }),
    { seed, numRuns: isFull ? 400 : 25 },
  );
  test.info().annotations.push({ type: 'statuses', description: JSON.stringify([...statuses]) });
  const expected = ['GET 200', 'POST 200', 'POST 400', 'POST 422', 'DELETE 200', 'DELETE 404', 'DELETE 422'];
  expect([...statuses.keys()]).toEqual(expect.arrayContaining(expected));
});
