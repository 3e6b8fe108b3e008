import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { openPool } from '#db/client.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { operations } from '#src/api/operations/index.ts';
import { type AddCardBody, add, remove, tokenOf } from '#src/cards/tests/support.ts';
import { call, signIn, testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { startProxy } from '#tools/testing/proxy.ts';
import { createKeyReads } from './key-reads.ts';
import { services } from './services.ts';

const service = await testService();

/** Messages of PostgreSQL's protocol that parse or run a statement. */
const messageNames: Record<string, string> = { P: 'parse', E: 'execute', Q: 'query' };

/** @param chunk whole messages: a letter, the length of the rest in four bytes, and the rest */
function messagesIn(chunk: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < chunk.length; at += 1 + chunk.readUInt32BE(at + 1)) {
    const name = messageNames[String.fromCharCode(chunk[at] ?? 0)];
    if (name) found.push(name);
  }
  return found;
}

/** Those whose data the statement that authenticates reads too. */
const readers = operations.filter(({ reads }) => reads !== undefined);

/**
 * Runs with a service whose messages to the database are recorded.
 * @param run with the messages, of which it takes those that it has checked
 */
async function recording(run: (sent: string[]) => Promise<void>): Promise<void> {
  const sent: string[] = [];
  const wire = await startProxy('database', new URL(service.url), ({ moment, bytes }) => {
    if (moment === 'before') sent.push(...messagesIn(bytes));
    return true;
  });
  await service.restart({ DATABASE_URL: wire.url.href });
  // It sends statements of its own.
  await expect.poll(services().instanceId).not.toBeNull();
  try {
    await run(sent);
  } finally {
    await service.restart();
    await wire.close();
  }
}

/** The first use of a secret is recorded beside the request. */
async function lastUseRecorded({ secretId }: TestCustomer): Promise<void> {
  const lastUse = async () => {
    const [row] = await service.sql`select last_used_at from secrets where id = ${secretId}`;
    return row?.last_used_at;
  };
  await expect.poll(lastUse).toBeInstanceOf(Date);
  // Stored beside the requests, many at a time.
  vi.spyOn(services().apiRequests, 'add').mockReturnValue();
  await services().apiRequests.flush();
}

test(`${readers.map(({ id }) => id).join(', ')}: authenticate and read in one prepared statement`, async () => {
  const customer = await newCustomer(service.db);
  await recording(async (sent) => {
    const session = { headers: { Cookie: await signIn(customer) } };
    const reads = readers.flatMap((operation) => [
      () => call(operation, customer),
      () => call(operation, null, session),
    ]);
    // The first requests open the connections and prepare the statements.
    await Promise.all(Array.from({ length: 10 }, () => reads.map((read) => read())).flat());
    await lastUseRecorded(customer);
    sent.splice(0);
    for (const read of reads) {
      for (let round = 0; round < 20; round += 1) {
        expect((await read()).status).toBe(200);
        expect(sent.splice(0)).toEqual(['execute']);
      }
    }
    // A wrong secret takes another statement, which counts the failure.
    await call(getCustomer, { ...customer, apiSecret: 'secret_test_wrong' });
    expect(sent.length).toBeGreaterThan(1);
  });
});

test.each(['nothing', 'record', 'payout'] as const)(
  'keyReads, %s: finds the customers of all keys of a turn in one statement',
  async (include) => {
    const customers = [await newCustomer(service.db), await newCustomer(service.db)];
    const apiKeys = [...customers.map(({ apiKey }) => apiKey), '"{},\\', 'key_"quoted"'];
    await recording(async (sent) => {
      const { find, waitingCount } = services().keyReads;
      const idsFound = async () => {
        const found = apiKeys.map((apiKey) => find(include, apiKey));
        expect(waitingCount()).toBe(apiKeys.length);
        return (await Promise.all(found)).map((one) => one?.customerId);
      };
      // Prepares the statement.
      await idsFound();
      sent.splice(0);
      expect(await idsFound()).toEqual([...customers.map(({ id }) => id), undefined, undefined]);
      expect(sent).toEqual(['execute']);
    });
  },
);

test('addCard, removeCard: send 6 and 3 statements, and 2 requests and 1 to the provider', async () => {
  const customer = await newCustomer(service.db);
  await recording(async (sent) => {
    const counted = async (run: () => Promise<{ status: number; json: unknown }>) => {
      await service.control('DELETE requests');
      sent.splice(0);
      const { status, json } = await run();
      expect(status).toBe(200);
      const statements = sent.splice(0).filter((name) => name !== 'parse').length;
      const { data } = await service.control('GET requests');
      const requests = data.map(({ operation }) => operation);
      return { json, statements, requests };
    };
    const addAndRemove = async (number: string) => {
      const token = await tokenOf(service, number);
      const { json, ...added } = await counted(() => add(customer, token));
      const { uuid = '' } = (json as AddCardBody).card ?? {};
      const { statements, requests } = await counted(() => remove(customer, uuid));
      return { added, removed: { statements, requests } };
    };
    const first = await addAndRemove('4242424242424242');
    expect(first.added.requests).toEqual([
      'paymentMethods.create',
      'customers.create',
      'setupIntents.create',
    ]);
    await lastUseRecorded(customer);
    expect(await addAndRemove('5555555555554444')).toEqual({
      added: { statements: 6, requests: ['paymentMethods.create', 'setupIntents.create'] },
      removed: { statements: 3, requests: ['paymentMethods.detach'] },
    });
  });
});

test.each(['record', 'payout'] as const)(
  '%s: PostgreSQL plans the statement of one key five times, and then keeps the plan',
  async (include) => {
    const { apiKey } = await newCustomer(service.db);
    const { db, close } = openPool(service.url, { connectionsMax: 1 });
    try {
      const { find } = createKeyReads(db);
      for (let count = 0; count < 20; count += 1)
        expect(await find(include, apiKey)).toMatchObject({ apiKey });
      const [statement] = await db.execute(sql`
      select custom_plans::int, generic_plans::int from pg_prepared_statements where statement like '%"api_key" = $%'`);
      expect(statement).toEqual({ custom_plans: 5, generic_plans: 15 });
    } finally {
      await close();
    }
  },
);
