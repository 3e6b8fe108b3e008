import fc from 'fast-check';
import pLimit from 'p-limit';
import {
  addTestCard,
  credentialHeaders,
  expect,
  newCustomer,
  type TestCustomer,
} from '#e2e/support/fixtures.ts';
import { type RawResponse, type Sent, sendRaw } from '#e2e/support/http.ts';
import { ScheduleClient } from '#packages/client/index.ts';
import { isRead, type Operation } from '#src/api/operation.ts';
import { operations } from '#src/api/operations/index.ts';
import { pathsOf } from '#src/api/router.ts';
import { printedSeed } from '#tools/testing/factories.ts';
import { hostileText } from './bodies.ts';
import { targetsOf, test } from './fuzzed-service.ts';
import { acceptedTokens, kinds, Model, type Step } from './model.ts';
import { ownCardPlaceholder, requestsFor } from './requests.ts';

const isFull = Boolean(process.env.FULL);
const requestCount = isFull ? 10_000 : 400;
const concurrentMax = 8;

test.describe.configure({ mode: 'default', timeout: isFull ? 3_600_000 : 180_000 });

/** A request for each status that the responses must include, because no sample is certain to. */
function requestsByStatus(operation: Operation, customer: TestCustomer): Record<number, Sent> {
  const [path = ''] = pathsOf(operation.path);
  const body = operation.docs.sample?.body as object | undefined;
  const request: Sent = {
    method: operation.method,
    path: path.replace(/\{\w+\}/, ownCardPlaceholder),
    headers: { ...credentialHeaders(customer), ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: Buffer.from(JSON.stringify(body)) }),
  };
  const withHeaders = (headers: Record<string, string>) => ({
    ...request,
    headers: { ...request.headers, ...headers },
  });
  return {
    [operation.response.status]: request,
    ...(isRead(operation) && { 304: withHeaders({ 'If-None-Match': '*' }) }),
    400: withHeaders({ Host: 'a b' }),
    401: { ...request, headers: {} },
    403: withHeaders(credentialHeaders({ ...customer, apiSecret: 'secret_test_wrong' })),
    404: { ...request, path: `${request.path}/x/x` },
    405: { ...request, method: 'PUT' },
    ...(body && { 415: withHeaders({ 'Content-Type': 'text/plain' }) }),
    431: withHeaders({ 'X-Padding': 'x'.repeat(17_000) }),
  };
}

/** Adds a card for a request that needs one of the customer's own. */
async function withOwnCard(request: Sent, client: ScheduleClient, index: number): Promise<Sent> {
  if (!request.path.includes(ownCardPlaceholder)) return request;
  const card = await addTestCard(client, acceptedTokens[index % acceptedTokens.length]);
  const selector = index % 2 === 0 ? card.uuid : String(card.id);
  return { ...request, path: request.path.replace(ownCardPlaceholder, selector) };
}

function describe({ method, path, headers, body }: Sent): string {
  const shown = Object.entries(headers).filter(([name]) => !name.startsWith('X-AUTH'));
  return `${method} ${path} ${JSON.stringify(Object.fromEntries(shown))} ${body?.toString('latin1').slice(0, 300) ?? ''}`;
}

for (const definition of operations) {
  test(`${definition.id}: all responses to ${requestCount} generated requests match the OpenAPI document`, async ({
    check,
    clientOf,
    customer,
    served,
    service,
  }) => {
    const target = targetsOf(served).find(({ operation }) => operation.operationId === definition.id);
    if (!target) throw new Error('Not in the document.');
    const limit = pLimit(concurrentMax);
    const seed = printedSeed(`fuzz of ${definition.id}`);
    const byStatus = requestsByStatus(definition, customer);
    const sample = fc.sample(requestsFor(target, served, customer), { seed, numRuns: requestCount });
    const responses = [...Object.values(byStatus), ...sample].map((generated, index) =>
      limit(async () => {
        const request = await withOwnCard(generated, clientOf(customer), index);
        const response = await sendRaw(service.url, request);
        return { request: describe(request), status: response.status, faults: check(request, response) };
      }),
    );
    const received = await Promise.all(responses);
    expect(received.filter(({ faults }) => faults.length > 0)).toEqual([]);
    const statuses = received.map(({ status }) => status);
    const expected = Object.keys(byStatus).map(Number);
    expect(statuses.slice(0, expected.length)).toEqual(expected);
    const inSample = Map.groupBy(statuses.slice(expected.length), (status) => status);
    const counts = [...inSample].map(([status, { length }]) => [status, length]);
    test.info().annotations.push({ type: 'statuses', description: JSON.stringify(counts) });
    expect([...inSample.keys()]).toEqual(expect.arrayContaining([definition.response.status, 400]));
  });
}

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

// The last statuses that the test expects do not occur in every sample.
const stepOfEachKind: Step[] = kinds.map((kind, pick) => ({ kind, pick, byId: false, invalidText: '' }));

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
    { seed: printedSeed('sequences'), numRuns: isFull ? 400 : 25, examples: [[stepOfEachKind]] },
  );
  const expected = ['GET 200', 'POST 200', 'POST 400', 'POST 422', 'DELETE 200', 'DELETE 404', 'DELETE 422'];
  expect([...statuses]).toEqual(expect.arrayContaining(expected));
});
