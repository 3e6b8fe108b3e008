import fc from 'fast-check';
import pLimit from 'p-limit';
import { addTestCard, expect } from '#e2e/support/fixtures.ts';
import { type Sent, sendRaw } from '#e2e/support/http.ts';
import type { ScheduleClient } from '#packages/client/index.ts';
import { isRead, type Operation } from '#src/api/operation.ts';
import { operations } from '#src/api/operations/index.ts';
import { targetsOf, test } from './fuzzed-service.ts';
import { acceptedTokens } from './model.ts';
import { ownCardPlaceholder, requestsFor } from './requests.ts';

const isFull = Boolean(process.env.FULL);
const requestCount = isFull ? 10_000 : 400;
const seed = Number(process.env.FUZZ_SEED ?? 20_261_120);
const concurrentMax = 8;

test.describe.configure({ mode: 'default', timeout: isFull ? 3_600_000 : 180_000 });

/** Statuses that occur in a sample of this size. */
function statusesOf(operation: Operation): number[] {
  const ofReads = isRead(operation) ? [304] : [];
  const ofBodies = operation.request?.body ? [415] : [];
  return [operation.response.status, ...ofReads, 400, 401, 403, 404, 405, ...ofBodies, 431];
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
    const statuses = new Map<number, number>();
    const limit = pLimit(concurrentMax);
    const responses = fc
      .sample(requestsFor(target, served, customer), { seed, numRuns: requestCount })
      .map((generated, index) =>
        limit(async () => {
          const request = await withOwnCard(generated, clientOf(customer), index);
          const response = await sendRaw(service.url, request);
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          return { request: describe(request), status: response.status, faults: check(request, response) };
        }),
      );
    expect((await Promise.all(responses)).filter(({ faults }) => faults.length > 0)).toEqual([]);
    test.info().annotations.push({ type: 'statuses', description: JSON.stringify([...statuses]) });
    // A sample must include successes and errors.
    expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining(statusesOf(definition)));
  });
}
