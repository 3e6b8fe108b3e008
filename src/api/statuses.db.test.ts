import { expect, test } from 'vitest';
import { call, testService } from '#tools/testing/api.ts';
import { onPostgres } from '#tools/testing/citus.ts';
import { testDatabase, waitingForLock } from '#tools/testing/database.ts';
import { newCards, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { startProxy } from '#tools/testing/proxy.ts';
import { responsesOf } from './openapi-responses.ts';
import { isRead, type Operation } from './operation.ts';
import { getPayout } from './operations/get-payout.ts';
import { operations } from './operations/index.ts';

const database = await testDatabase();
const { sql } = database;
const role = sql(new URL(database.url).username);
const proxy = await startProxy('database', new URL(database.url));
const quota = 3;
const service = await testService({
  DATABASE_URL: proxy.url.href,
  LIMIT_REQUESTS_PER_MINUTE: `${quota}`,
});

/** Sends the sample of an operation, for the customer's card if it names one. */
type Send = (options?: Parameters<typeof call>[2]) => ReturnType<typeof call>;
type Sample = { operation: Operation; customer: TestCustomer; send: Send };

async function sampleOf(operation: Operation): Promise<Sample> {
  const customer = await newCustomer(service.db);
  await newCards(database.owner, customer, 1);
  const [card] = await sql<{ uuid: string }[]>`select uuid from cards where customer_id = ${customer.id}`;
  const { body } = operation.docs.sample ?? {};
  const params = operation.request?.params && card && { uuid: card.uuid };
  const send: Send = (options) => call(operation, customer, { body, ...(params && { params }), ...options });
  return { operation, customer, send };
}

const idempotencyKey = { 'Idempotency-Key': 'order-71' };

/** Sends the sample of an operation so that it gets the status. */
const sendFor: Record<string, (sample: Sample) => ReturnType<typeof call>> = {
  200: ({ send }) => send(),
  304: async ({ send }) => {
    const { headers } = await send();
    return send({ headers: { 'If-None-Match': headers.get('etag') ?? '' } });
  },
  404: ({ operation, customer }) => call(operation, customer),
  409: async ({ customer, send }) => {
    let first: ReturnType<Send> | undefined;
    const second = await sql.begin(async (tx) => {
      await tx`select from customers where id = ${customer.id} for update`;
      first = send({ headers: idempotencyKey });
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
      return send({ headers: idempotencyKey });
    });
    await first;
    return second;
  },
  413: ({ send }) => send({ body: { note: 'x'.repeat(17_000) } }),
  415: ({ send }) => send({ headers: { 'Content-Type': 'text/plain' } }),
  422: async ({ operation, customer, send }) => {
    const other = operations.find((one) => !isRead(one) && one !== operation);
    if (!other) throw new Error('There is no other operation that takes a key.');
    await call(other, customer, { body: other.docs.sample?.body, headers: idempotencyKey });
    return send({ headers: idempotencyKey });
  },
  424: async ({ send }) => {
    await service.control('POST faults', { operation: 'setupIntents.create', kind: '500', times: 2 });
    return send().finally(() => service.control('DELETE faults'));
  },
  429: async ({ customer, send }) => {
    for (let count = 0; count < quota; count += 1) await call(getPayout, customer);
    return send();
  },
  500: async ({ send }) => {
    await sql`revoke select on customers from ${role}`;
    return send().finally(() => sql`grant select on customers to ${role}`);
  },
  // Runs last, because the proxy stays closed.
  503: async ({ send }) => {
    await proxy.close();
    return send();
  },
};

/** In `e2e/api/operations.spec.ts` and, for 408, `src/server/parse-errors.test.ts`. */
const testedElsewhere = ['400', '401', '403', '405', '408', '421', '431'];

const statuses = new Set(operations.flatMap((operation) => Object.keys(responsesOf(operation))));
for (const status of [...statuses].toSorted()) {
  if (testedElsewhere.includes(status)) continue;
  for (const operation of operations.filter((one) => status in responsesOf(one))) {
    const add = () =>
      test(`${operation.id}: returns ${status}`, async () => {
        const response = await sendFor[status]?.(await sampleOf(operation));
        expect(response?.status).toBe(Number(status));
      });
    if (status === '409') onPostgres('row locks', add);
    else add();
  }
}
