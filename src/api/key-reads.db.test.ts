import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import * as schema from '#db/schema.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { getPayout } from '#src/api/operations/get-payout.ts';
import { services } from '#src/api/services.ts';
import { eraseCustomer } from '#src/customers/erase-customer.ts';
import { newToken } from '#src/tokens.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCards, newCity, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { createKeyReads } from './key-reads.ts';

const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: '100000' });
const { sql } = service;

const read = async (customer: TestCustomer) => (await call(getCustomer, customer)).json.customer as never;

test('getCustomer: the next response shows each change of the customer, the city, and the cards', async () => {
  const city = await newCity(service.db);
  const customer = await newCustomer(service.db, { city });
  const shows = async (expected: object) => {
    expect(await read(customer)).toMatchObject(expected);
    // From the cache.
    expect(await read(customer)).toMatchObject(expected);
  };
  await shows({ phone: expect.any(String), cards: [] });
  await sql`update customers set phone = '555-0199' where id = ${customer.id}`;
  await shows({ phone: '555-0199' });
  await sql`update cities set name = 'Renamed' where slug = ${city.slug}`;
  await shows({ city: { name: 'Renamed' } });
  await newCards(service.owner, customer, 2);
  await shows({ cards: [{ isDefault: false }, { isDefault: true }] });
  await sql`update cards set exp_year = 2020 where customer_id = ${customer.id}
    and id = (select max(id) from cards where customer_id = ${customer.id})`;
  await shows({ cards: [{ isDefault: true }, { isDefault: false, expYear: '2020' }] });
  await sql`update cards set state = 'removed' where customer_id = ${customer.id} and exp_year = 2020`;
  await shows({ cards: [{ isDefault: true }] });
});

test('getCustomer: the default card of a cached response expires with the month', async () => {
  const customer = await newCustomer(service.db);
  await newCards(service.owner, customer, 2);
  await sql`update cards set exp_month = 11, exp_year = 2026 where customer_id = ${customer.id}
    and id = (select max(id) from cards where customer_id = ${customer.id})`;
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const defaults = async (at: string) => {
      vi.setSystemTime(new Date(at));
      const { cards } = (await read(customer)) as { cards: { isDefault: boolean }[] };
      return cards.map(({ isDefault }) => isDefault);
    };
    expect(await defaults('2026-11-30T12:00:00Z')).toEqual([false, true]);
    expect(await defaults('2026-12-02T12:00:00Z')).toEqual([true, false]);
  } finally {
    vi.useRealTimers();
  }
});

test('getCustomer, getPayout: refuse a revoked secret and a suspended customer on the next request', async () => {
  for (const operation of [getCustomer, getPayout]) {
    const customer = await newCustomer(service.db);
    const outcome = async () => {
      const { status, json } = await call(operation, customer);
      return [status, (json as { error?: { type: string } }).error?.type];
    };
    for (let n = 0; n < 2; n += 1) expect(await outcome()).toEqual([200, undefined]);
    await sql`update customers set status = 'Suspended' where id = ${customer.id}`;
    expect(await outcome()).toEqual([403, 'account_disabled']);
    await sql`update customers set status = 'Active' where id = ${customer.id}`;
    expect(await outcome()).toEqual([200, undefined]);
    await sql`update secrets set revoked_at = now() where customer_id = ${customer.id}`;
    expect(await outcome()).toEqual([403, 'secret_invalid']);
  }
});

test('getCustomer: checks each of the requests of a turn by its own key and secret', async () => {
  const [one, two] = [await newCustomer(service.db), await newCustomer(service.db)];
  const wrong = newToken('secret', 'test');
  const cases: [{ apiKey: string; apiSecret: string }, number | string][] = [
    [one, one.id],
    [{ ...one, apiSecret: wrong }, 'secret_invalid'],
    [two, two.id],
    [{ ...one, apiSecret: two.apiSecret }, 'secret_invalid'],
    [{ ...two, apiKey: newToken('key', 'test') }, 'key_unknown'],
    [{ ...two, apiKey: '"{},\\' }, 'key_unknown'],
    [one, one.id],
  ];
  const outcomeOf = async (pair: { apiKey: string; apiSecret: string }) => {
    const { json } = await call(getCustomer, pair);
    const { customer, error } = json as { customer?: { id: number }; error?: { type: string } };
    return customer?.id ?? error?.type;
  };
  const outcomes = () => Promise.all(cases.map(([pair]) => outcomeOf(pair)));
  for (let n = 0; n < 2; n += 1) expect(await outcomes()).toEqual(cases.map(([, expected]) => expected));
});

test('getCustomer: requests at the same time read a record once, and each reads it again after a failure', async () => {
  const customer = await newCustomer(service.db);
  const findRecord = vi.spyOn(services().keyReads, 'findRecord');
  const statuses = () =>
    Promise.all([1, 2, 3, 4].map(async () => (await call(getCustomer, customer)).status));
  try {
    findRecord.mockRejectedValueOnce(new Error('broken'));
    expect((await statuses()).sort()).toEqual([200, 200, 200, 500]);
    expect(findRecord).toHaveBeenCalledTimes(4);
    await sql`update customers set phone = '555-0100' where id = ${customer.id}`;
    findRecord.mockClear();
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    expect(findRecord).toHaveBeenCalledTimes(1);
  } finally {
    findRecord.mockRestore();
  }
});

test('getPayout: an error of one customer does not affect the others of the same turn', async () => {
  const city = await newCity(service.db);
  const [one, two, broken] = [
    await newCustomer(service.db),
    await newCustomer(service.db),
    await newCustomer(service.db, { city }),
  ];
  await service.sql`update cities set timezone = 'Nowhere/Nothing' where slug = ${city.slug}`;
  const calls = [one, broken, two].map(async (customer) => (await call(getPayout, customer)).status);
  expect(await Promise.all(calls)).toEqual([200, 500, 200]);
});

test('getCustomer: shows no other customer after rows have moved within their tables', async () => {
  const city = await newCity(service.db);
  const customers = await Promise.all([1, 2, 3].map(() => newCustomer(service.db, { city })));
  const [first] = customers;
  // As after a restore: all have the ID of one transaction, and no gaps between them.
  await sql`update customers set phone = '555-0100' where id = any(${customers.map(({ id }) => id)})`;
  await service.owner.execute('vacuum full customers');
  const ids = async () => {
    const shown = customers.map(async (one) => ((await read(one)) as { id: number }).id);
    return Promise.all(shown);
  };
  const expected = customers.map(({ id }) => id);
  expect(await ids()).toEqual(expected);
  await sql`update customers set phone = '555-0101' where id = ${first?.id ?? 0}`;
  await service.owner.execute('vacuum full customers');
  expect(await ids()).toEqual(expected);
});

test('keyReads: a key that PostgreSQL cannot store is unknown', async () => {
  const { apiKey, id } = await newCustomer(service.db);
  const { find } = services().keyReads;
  const [known, unknown] = await Promise.all([find('nothing', apiKey), find('nothing', 'key_\0')]);
  expect([known?.customerId, unknown]).toEqual([id, undefined]);
  expect(await find('nothing', 'key_\0'), 'without others').toBeUndefined();
});

test.each(['nothing', 'record', 'payout'] as const)(
  'keyReads, %s: finds the same on a distributed database, where the rest of each customer takes a statement',
  async (include) => {
    const customers = [await newCustomer(service.db), await newCustomer(service.db)];
    const now = () => new Date('2026-11-20T00:00:00Z');
    const client = postgres(service.url, { max: 2, connection: { TimeZone: 'UTC' } });
    const logQuery = vi.fn();
    const db = drizzle(client, { schema, logger: { logQuery } });
    // Only the check for distributed tables calls it; the reads are prepared statements.
    vi.spyOn(db, 'execute').mockResolvedValue([{}] as never);
    const [usual, distributed] = [createKeyReads(service.web, now), createKeyReads(db, now)];
    try {
      for (const keys of [customers.slice(0, 1), customers, [{ apiKey: 'key_unknown' }]]) {
        const findAll = ({ find }: typeof usual) =>
          Promise.all(keys.map(({ apiKey }) => find(include, apiKey)));
        logQuery.mockClear();
        const found = await findAll(distributed);
        const rest = include === 'nothing' ? [] : found.filter((one) => one !== undefined);
        expect(logQuery).toHaveBeenCalledTimes(1 + rest.length);
        expect(found).toEqual(await findAll(usual));
      }
    } finally {
      await client.end();
    }
  },
);

test('getCustomer: returns 403 account_disabled for a customer who is erased after the key was checked', async () => {
  const customer = await newCustomer(service.db);
  const { keyReads } = services();
  const { findRecord } = keyReads;
  const spy = vi.spyOn(keyReads, 'findRecord').mockImplementationOnce(async (id) => {
    await eraseCustomer({ db: service.db, actor: 'tests' }, customer.username);
    return findRecord(id);
  });
  try {
    const { status, json } = await call(getCustomer, customer);
    expect([status, json]).toMatchObject([403, { error: { type: 'account_disabled' } }]);
  } finally {
    spy.mockRestore();
  }
});
