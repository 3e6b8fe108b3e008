import fc from 'fast-check';
import pLimit from 'p-limit';
import { expect, newCustomer, type TestCustomer, test } from '#e2e/support/fixtures.ts';
import { ScheduleClient } from '#packages/client/index.ts';
import { isRead, type Operation, successOf } from '#src/api/operation.ts';
import { operations } from '#src/api/operations/index.ts';
import { responseCheck, type Served, targetsOf } from './check-response.ts';
import { acceptedTokens } from './model.ts';
import { ownCardPlaceholder, requestsFor } from './requests.ts';
import { type FuzzedService, type Sent, sendRaw, startFuzzedService } from './service.ts';

const isFull = Boolean(process.env.FULL);
const requestCount = isFull ? 10_000 : 400;
const seed = Number(process.env.FUZZ_SEED ?? 20_261_120);
const concurrentMax = 8;

test.describe.configure({ mode: 'default', timeout: isFull ? 3_600_000 : 180_000 });

let service: FuzzedService;
let served: Served;
const statuses = new Map<number, number>();

/** Statuses that occur in a sample of this size. */
function statusesOf(operation: Operation): number[] {
  const [success] = successOf(operation);
  const ofReads = isRead(operation) ? [304] : [];
  const ofBodies = operation.request?.body ? [415] : [];
  return [success, ...ofReads, 400, 401, 403, 404, 405, ...ofBodies, 431];
}

test.beforeAll(async () => {
  test.setTimeout(180_000);
  service = await startFuzzedService();
  served = (await (await fetch(`${service.url}/openapi.json`)).json()) as Served;
});
test.afterAll(() => service?.stop());

type Fault = { request: string; status: number; faults: string[] };

async function faultsOf(requests: Sent[], customer: TestCustomer): Promise<Fault[]> {
  const limit = pLimit(concurrentMax);
  const check = responseCheck(served);
  const found = requests.map((generated, index) =>
    limit(async () => {
      const request = await withOwnCard(generated, customer, index);
      const response = await sendRaw(service.url, request);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      return { request: describe(request), status: response.status, faults: check(request, response) };
    }),
  );
  return (await Promise.all(found)).filter(({ faults }) => faults.length > 0);
}

/** Adds a card for a request that needs one of the customer's own. */
async function withOwnCard(request: Sent, customer: TestCustomer, index: number): Promise<Sent> {
  if (!request.path.includes(ownCardPlaceholder)) return request;
  const client = new ScheduleClient({ ...customer, baseUrl: service.url });
  const result = await client.addCard({
    token: acceptedTokens[index % acceptedTokens.length] ?? '',
    card: {},
  });
  if (!result.added) throw new Error(result.message);
  const selector = index % 2 === 0 ? result.card.uuid : String(result.card.id);
  return { ...request, path: request.path.replace(ownCardPlaceholder, selector) };
}

function describe({ method, path, headers, body }: Sent): string {
  const shown = Object.entries(headers).filter(([name]) => !name.startsWith('X-AUTH'));
  return `${method} ${path} ${JSON.stringify(Object.fromEntries(shown))} ${body?.toString('latin1').slice(0, 300) ?? ''}`;
}

for (const definition of operations) {
  const operationId = definition.id;
  test(`${operationId}: all responses to ${requestCount} generated requests match the OpenAPI document`, async () => {
    const targets = targetsOf(served);
    const target = targets.find(({ operation }) => operation.operationId === operationId);
    if (!target) throw new Error('Not in the document.');
    statuses.clear();
    const customer = await newCustomer(service.db);
    const requests = fc.sample(requestsFor(target, served, customer), { seed, numRuns: requestCount });
    expect(await faultsOf(requests, customer)).toEqual([]);
    test.info().annotations.push({ type: 'statuses', description: JSON.stringify([...statuses]) });
    // A sample must include successes and errors.
    expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining(statusesOf(definition)));
  });
}
