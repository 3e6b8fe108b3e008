import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { services } from '#src/api/services.ts';
import { openSession } from '#src/api/session.ts';
import { add, attachedAt, statesOf } from '#src/cards/tests/support.ts';
import { operatorOn } from '#src/cli/testing.ts';
import { newToken } from '#src/tokens.ts';
import { call, sandboxKeys, testService, writtenByService } from '#tools/testing/api.ts';
import { waitingForLock } from '#tools/testing/database.ts';
import { insertEntries, newCustomer, newEntry, type TestCustomer } from '#tools/testing/factories.ts';
import { getCustomer } from '../api/operations/get-customer.ts';
import { finishErasures } from './erase-customer.ts';
import { exportCustomer } from './export-customer.ts';
import { deleteOldAddresses, deleteOldFailedCards } from './retention.ts';
import { updateCustomer } from './update-customer.ts';

const service = await testService();
const operator = operatorOn(service, {
  STRIPE_SECRET_KEY: sandboxKeys.secretKey,
  STRIPE_API_BASE: service.sandbox.origin,
});
const { db, sql } = service;

beforeEach(async () => {
  await service.control('DELETE faults');
});

/** Different for each customer. */
const personalOf = ({ id }: TestCustomer) => ({
  email: `grace${id}@hopper.example`,
  firstName: `Grace${id}`,
  lastName: `Hopper${id}`,
  name: `Hopper Bakery ${id}`,
  phone: `808555${id + 1000}`,
});
const earlierName = ({ id }: TestCustomer) => `Rear Admiral ${id}`;
const zipOf = ({ id }: TestCustomer) => `96-813-${id}`;
const apiAddress = ({ id }: TestCustomer) => `192.0.2.${id}`;
const browserAddress = ({ id }: TestCustomer) => `198.51.100.${id}`;
const otherAddress = ({ id }: TestCustomer) => `203.0.113.${id}`;

/** A customer with data in every table that can have some. */
async function usedCustomer(): Promise<TestCustomer> {
  const customer = await newCustomer(db);
  const { username } = customer;
  await updateCustomer({ db, actor: 'operator:anna' }, { username, firstName: earlierName(customer) });
  await updateCustomer({ db, actor: 'operator:anna' }, { username, ...personalOf(customer) });
  const from = { 'x-forwarded-for': apiAddress(customer) };
  const body = { addressZip: zipOf(customer), addressCountry: 'US' };
  await add(customer, 'tok_visa', { ...from, 'idempotency-key': `add-${username}` }, body);
  await add(customer, 'tok_chargeDeclined', from);
  const headers = new Headers({ 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' });
  await openSession(services(), { ...customer, address: browserAddress(customer), headers });
  const wrong = { ...customer, apiSecret: newToken('secret', 'test') };
  await call(getCustomer, wrong, { headers: { 'x-forwarded-for': otherAddress(customer) } });
  await services().securityEvents.flush();
  await newEntry(db, customer, { amountCents: 1_250n, reference: `R-${customer.id}` });
  return customer;
}

/** What identifies the customer, or says something about it. */
const valuesOf = (customer: TestCustomer) => [
  ...[customer.username, customer.name, customer.apiKey, customer.apiKey.slice(0, 13)],
  ...Object.values(personalOf(customer)),
  ...[earlierName, zipOf, apiAddress, browserAddress, otherAddress].map((value) => value(customer)),
];

/** @returns the tables and values that are still found */
async function foundOf(values: string[]): Promise<string[]> {
  const { log: _log, ...tables } = await writtenByService(service);
  return Object.entries(tables).flatMap(([table, rows]) =>
    values.filter((value) => rows.includes(value)).map((value) => `${table}: ${value}`),
  );
}

/** Newest first. */
async function emailsAtProvider({ id }: TestCustomer): Promise<unknown[]> {
  const { data } = await service.control('GET customers');
  return data
    .filter(({ metadata }) => (metadata as { customer_id?: string })?.customer_id === String(id))
    .map(({ email }) => email);
}

type Erased = { username: string; balance_cents: number; provider_customer: string };
type Exported = { customer: Record<string, string> } & Record<string, Record<string, unknown>[]>;

describe('customer export', () => {
  it('has every value that is stored about the customer, and no hash', async () => {
    const customer = await usedCustomer();
    const { code, document } = await operator.json<Exported>('customer export', customer.username);
    expect(code).toBe(0);
    const json = JSON.stringify(document);
    expect(valuesOf(customer).filter((value) => !json.includes(value))).toEqual([]);
    expect(json).not.toMatch(/hash|\\\\x/);
    const columns = Object.values(document)
      .flatMap((rows) => (Array.isArray(rows) ? rows : []))
      .flatMap(Object.keys);
    const internal = ['removal_key', 'lease_until', 'leased_by', 'attempt', 'retries', 'next_attempt_at'];
    for (const name of [...internal, 'locked_until', 'locked_by']) expect(columns).not.toContain(name);
    const sizes = Object.entries(document).map(([table, rows]) => [
      table,
      Array.isArray(rows) && rows.length,
    ]);
    expect(Object.fromEntries(sizes)).toMatchObject({
      ...{ cards: 2, sessions: 1, secrets: 1, idempotency_keys: 1, ledger_entries: 1, security_events: 1 },
    });
  });

  it('names every table with rows of a customer', async () => {
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'customer_id' and table_name not like 'audit_%'`;
    const { document } = await operator.json<Exported>(
      ...['customer', 'export', (await newCustomer(db)).username],
    );
    expect(Object.keys(document).sort()).toEqual([...tables.map(({ name }) => name), 'customer'].sort());
  });

  it('shows one moment, although the tables are read one by one', async () => {
    const customer = await newCustomer(db);
    let exporting: ReturnType<typeof operator.json<Exported>> | undefined;
    await sql.begin(async (other) => {
      await other`lock table idempotency_keys`;
      exporting = operator.json<Exported>('customer export', customer.username);
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
      await newEntry(db, customer, { amountCents: 1_250n });
    });
    expect((await exporting)?.document).toMatchObject({ idempotency_keys: [], ledger_entries: [] });
  });

  it('prints no second document when it fails after it has printed a part of the first', async () => {
    const customer = await newCustomer(db);
    let exporting: ReturnType<typeof operator.run> | undefined;
    await sql.begin(async (other) => {
      await other`lock table idempotency_keys`;
      exporting = operator.run('customer export', customer.username, '--json');
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
      for (const pid of await waitingForLock(sql)) await other`select pg_terminate_backend(${pid})`;
    });
    expect(await exporting).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/"cards": \[\]$/),
      stderr: expect.stringMatching(/./),
    });
  });

  it('has a ledger of any size, in little memory', async () => {
    const { id, username } = await newCustomer(db);
    const entry = { customerId: id, amountCents: 1_250n, takesEffectAt: new Date() };
    const entries = Array.from({ length: 50_000 }, (_, index) => ({ ...entry, reference: `INV-${index}` }));
    await insertEntries(db, entries);
    const child = operator.start(['customer export', username], { node: ['--max-old-space-size=64'] });
    const [printed] = await Promise.all([text(child.stdout as Readable), once(child, 'exit')]);
    expect(child.exitCode).toBe(0);
    expect((JSON.parse(printed) as Exported).ledger_entries).toHaveLength(entries.length);
  });

  it('waits until each piece is written', async () => {
    const { username } = await usedCustomer();
    let writing = 0;
    await exportCustomer(db, username, async () => {
      writing += 1;
      expect(writing).toBe(1);
      await db.execute('select 1');
      writing -= 1;
    });
  });

  it('refuses an unknown customer', async () => {
    expect((await operator.run('customer export nobody')).code).toBe(1);
  });
});

describe('customer erase', () => {
  it('leaves no personal value in any table, and no customer at the provider', async () => {
    const [customer, other] = [await usedCustomer(), await newCustomer(db)];
    await add(other, 'tok_visa');
    const found = await foundOf(valuesOf(customer));
    expect(found.length).toBeGreaterThan(15);
    const operations = await readFile(path.join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const documented = operations.split('## Personal data')[1]?.split('\n## ')[0] ?? '';
    // The view `audit` shows rows of `audit_personal`.
    const tables = found.map((one) => one.split(':')[0] ?? '').filter((name) => name !== 'audit');
    for (const table of new Set(tables)) expect(documented).toMatch(new RegExp(`\`${table}[\`.]`));
    const [row] = await sql`select provider_customer_id as id from customers where id = ${customer.id}`;
    const { code, document } = await operator.json<Erased>('customer erase', customer.username);
    const username = `erased:${customer.id}`;
    expect([code, document]).toEqual([0, { username, balance_cents: 1250, provider_customer: 'deleted' }]);
    expect(await foundOf([...valuesOf(customer), row?.id])).toEqual([]);
    const [left] = await sql`select * from customers where id = ${customer.id}`;
    expect(left).toMatchObject({
      ...{ username, api_key: username, email: '', phone: '', country_code: '' },
      ...{ first_name: '', last_name: '', name: '', client_ip: '127.0.0.1' },
      ...{ status: 'Inactive', is_email_confirmed: false, provider_customer_id: null },
    });
    expect((await service.control(`GET payment_methods?customer=${row?.id}&attached=true`)).data).toEqual([]);
    expect((await call(getCustomer, customer)).status).toBe(403);
    expect(await attachedAt(service, other), 'others keep their cards').toHaveLength(1);
  });

  it('keeps the ledger and the audit, which refer to the customer by ID', async () => {
    const customer = await usedCustomer();
    const { username, id } = customer;
    const actions = async () =>
      (await sql`select action from audit where customer_id = ${id} order by id`).map(({ action }) => action);
    const before = await actions();
    await operator.run('customer erase', username, '--actor', 'anna');
    expect(await actions()).toEqual([...before, 'customer.erased']);
    type Audit = { changes: { actor: string; subject: string; action: string }[] };
    const { document } = await operator.json<Audit>('audit', `erased:${id}`);
    expect(document.changes[0]).toMatchObject({ actor: 'operator:anna', subject: `erased:${id}` });
    expect(document.changes).toContainEqual(
      expect.objectContaining({ action: 'card.added', actor: `customer:erased:${id}` }),
    );
    expect(
      await sql`select amount_cents::int as cents from ledger_entries where customer_id = ${id}`,
    ).toEqual([{ cents: 1250 }]);
    expect((await operator.run('ledger verify')).code).toBe(0);
  });

  it('deletes the customer at the provider later if it is unreachable', async () => {
    const customer = await usedCustomer();
    const [row] = await sql`select provider_customer_id as id from customers where id = ${customer.id}`;
    await service.control('POST faults', { operation: 'customers.del', kind: '500', times: 4 });
    const { code, document } = await operator.json<Erased>('customer erase', customer.username);
    expect([code, document.provider_customer]).toEqual([0, 'pending']);
    expect(await foundOf(valuesOf(customer))).toEqual([]);
    await expect(finishErasures(services())).rejects.toMatchObject({ kind: 'unavailable' });
    await service.control('DELETE faults');
    expect(await finishErasures(services())).toBe(1);
    expect(await finishErasures(services())).toBe(0);
    expect((await service.control(`GET payment_methods?customer=${row?.id}&attached=true`)).data).toEqual([]);
    expect(await foundOf([row?.id])).toEqual([]);
  });

  it('deletes every customer at the provider, also those whose creation did not return', async () => {
    const [customer, other] = [await newCustomer(db), await usedCustomer()];
    const lost = { operation: 'customers.create', kind: 'drop_after_commit', times: 2 };
    await service.control('POST faults', lost);
    expect((await add(customer, 'tok_visa')).status).toBe(424);
    const { username } = customer;
    await updateCustomer({ db, actor: 'operator:anna' }, { username, email: 'grace@navy.example' });
    expect((await add(customer, 'tok_visa')).status).toBe(200);
    const emails = ['grace@navy.example', `${username}@example.com`];
    expect(await emailsAtProvider(customer)).toEqual(emails);
    const { code, stdout } = await operator.run('customer erase', username);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Every matching customer')]);
    expect(await emailsAtProvider(customer)).toEqual([]);
    expect(await emailsAtProvider(other), 'others keep theirs').toHaveLength(1);
  });

  it('deletes a customer at the provider that was created after the erasure', async () => {
    const customer = await newCustomer(db);
    await operator.run('customer erase', customer.username);
    const [row] = await sql`select created_at from customers where id = ${customer.id}`;
    const late = { customerId: customer.id, createdAt: row?.created_at, idempotencyKey: 'late' };
    await services().provider.createCustomer({ ...late, email: 'grace@navy.example', name: 'Grace' });
    expect(await finishErasures(services())).toBe(1);
    expect(await emailsAtProvider(customer)).toEqual([]);
  });

  it('succeeds when it is only the deletion at the provider that fails, for whatever reason', async () => {
    const { username, id } = await usedCustomer();
    const broken = operatorOn(service, { PAYMENTS: 'sandbox', DATA_DIR: '/dev/null/none' });
    const { code, stdout } = await broken.run('customer erase', username);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ENOTDIR.* The service tries again/)]);
    expect(stdout).toContain(`The customer is now erased:${id}`);
    await finishErasures(services(), { customerId: id });
  });

  it('keeps the ID of a customer that is not in the account of the provider keys', async () => {
    const customer = await usedCustomer();
    await sql`update customers set provider_customer_id = 'cus_of_another_account' where id = ${customer.id}`;
    const { document } = await operator.json<Erased>('customer erase', customer.username);
    expect(document.provider_customer).toBe('pending');
    const other = await operator.json<Erased>('customer erase', (await usedCustomer()).username);
    expect(other.document.provider_customer, 'of another customer').toBe('deleted');
    await expect(finishErasures(services())).rejects.toMatchObject({ kind: 'denied' });
    await sql`update customers set provider_customer_id = null where id = ${customer.id}`;
  });

  it('deletes what a request that was in flight has added', async () => {
    const customer = await usedCustomer();
    await operator.run('customer erase', customer.username);
    await sql`insert into cards (customer_id, state, token_hash, address_zip) values (${customer.id}, 'pending', 'x', 'late-zip')`;
    await finishErasures(services());
    expect(await foundOf(['late-zip'])).toEqual([]);
  });

  it.each(['paymentMethods.create', 'customers.create', 'setupIntents.create'])(
    'leaves no card of an addition that was waiting for %s',
    async (operation) => {
      const customer = await newCustomer(db);
      await service.control('POST faults', { operation, kind: 'slow', times: 1, delayMs: 9_000 });
      const adding = add(customer, 'tok_visa', { 'idempotency-key': 'in flight' });
      await expect.poll(async () => (await service.control('GET faults')).data).toMatchObject([{ fired: 1 }]);
      await operator.run('customer', 'erase', customer.username);
      await service.control('DELETE faults');
      expect((await adding).status).toBe(409);
      await finishErasures(services());
      expect(await foundOf(valuesOf(customer))).toEqual([]);
      expect(await statesOf(service, customer)).toEqual([]);
      expect(await emailsAtProvider(customer)).toEqual([]);
    },
  );

  it('is in the audit once when two operators erase a customer at the same time', async () => {
    const { id, username } = await newCustomer(db);
    const erasures: Promise<unknown>[] = [];
    await sql.begin(async (other) => {
      await other`select from customers where id = ${id} for update`;
      for (const waiting of [1, 2]) {
        erasures.push(once(operator.start(['customer erase', username]), 'close'));
        await expect.poll(() => waitingForLock(sql)).toHaveLength(waiting);
      }
    });
    expect(await Promise.all(erasures)).toEqual([
      [0, null],
      [0, null],
    ]);
    const erased = await sql`select from audit where customer_id = ${id} and action = 'customer.erased'`;
    expect(erased).toHaveLength(1);
  });

  it('waits for the removal of a card', async () => {
    const customer = await usedCustomer();
    const removal = await sql.reserve();
    await removal`begin`;
    await removal`update cards set state = 'removing' where customer_id = ${customer.id} and state = 'active'`;
    const erasing = operator.run('customer erase', customer.username);
    await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
    // The foreign key of the audit.
    await removal`select from customers where id = ${customer.id} for key share`;
    await removal`commit`;
    removal.release();
    expect((await erasing).code).toBe(0);
    expect(await foundOf(valuesOf(customer))).toEqual([]);
  });

  it('ends changes, new secrets, and access for good', async () => {
    const { username, id } = await usedCustomer();
    await operator.run('customer erase', username);
    for (const command of [
      ['customer', 'activate'],
      ['secret', 'rotate'],
    ])
      expect((await operator.run(...command, `erased:${id}`)).code).toBe(1);
    expect(await sql`select from secrets where customer_id = ${id}`).toEqual([]);
    expect((await sql`select status from customers where id = ${id}`)[0]?.status).toBe('Inactive');
  });

  it('refuses a new secret that waits for it', async () => {
    const { username, id } = await newCustomer(db);
    let rotating: ReturnType<typeof operator.run> | undefined;
    await sql.begin(async (erasure) => {
      await erasure`update customers set status = 'Inactive', erased_at = now() where id = ${id}`;
      await erasure`delete from secrets where customer_id = ${id}`;
      rotating = operator.run('secret rotate', username);
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
    });
    expect((await rotating)?.code).toBe(1);
    expect(await sql`select from secrets where customer_id = ${id}`).toEqual([]);
  });

  it('refuses a sign-in that waits for it', async () => {
    const customer = await newCustomer(db);
    let opening: ReturnType<typeof openSession> | undefined;
    await sql.begin(async (erasure) => {
      await erasure`update customers set status = 'Inactive', erased_at = now() where id = ${customer.id}`;
      await erasure`delete from secrets where customer_id = ${customer.id}`;
      opening = openSession(services(), { ...customer, address: '100.64.0.9' });
      // It can fail before the commit is confirmed.
      opening.catch(() => {});
      // The secret's last use waits too.
      await expect.poll(() => waitingForLock(sql)).toHaveLength(2);
    });
    await expect(opening).rejects.toMatchObject({ code: 'account_disabled' });
    expect(await foundOf(['100.64.0.9'])).toEqual([]);
  });

  it('can be repeated, and refuses an unknown customer', async () => {
    const { username, id } = await usedCustomer();
    await operator.run('customer erase', username);
    expect((await operator.run('customer erase', username)).code).toBe(1);
    expect((await operator.run('customer erase', `erased:${id}`)).code).toBe(0);
    const erasures = await sql`select from audit where customer_id = ${id} and action = 'customer.erased'`;
    expect(erasures).toHaveLength(1);
  });
});

describe('retention', () => {
  it('deletes the addresses of the audit and of old sign-ins', async () => {
    const [old, recent] = [await usedCustomer(), await usedCustomer()];
    await sql`update audit_personal set at = now() - interval '91 days' where customer_id = ${old.id}`;
    await deleteOldAddresses(service.web, 90);
    const addressesOf = ({ id }: TestCustomer) => sql`
      select client_ip as address from customers where id = ${id} union
      select address from audit where customer_id = ${id} and address is not null order by 1`;
    expect(await addressesOf(old)).toEqual([{ address: '127.0.0.1' }]);
    expect(await addressesOf(recent)).toEqual(
      [apiAddress(recent), browserAddress(recent)].map((address) => ({ address })),
    );
  });

  it('deletes a backlog of addresses in several statements', async () => {
    const { id } = await newCustomer(db);
    await sql`
      insert into audit_personal (customer_id, audit_id, at, address)
      select ${id}::bigint, -n, now() - make_interval(days => 100 + n), '192.0.2.1' from generate_series(1, 3) n`;
    const left = () => sql`
      select audit_id::int as id from audit_personal where customer_id = ${id} and address is not null`;
    let deletion: Promise<void> | undefined;
    await sql.begin(async (other) => {
      await other`select from audit_personal where customer_id = ${id} and audit_id = -1 for update`;
      deletion = deleteOldAddresses(service.web, 90, 2);
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
      expect(await left()).toEqual([{ id: -1 }]);
    });
    await deletion;
    expect(await left()).toEqual([]);
  });

  it('deletes cards that were not added, and no others', async () => {
    const customer = await usedCustomer();
    const states = async () =>
      (await sql`select state from cards where customer_id = ${customer.id} order by 1`).map(
        ({ state }) => state,
      );
    await deleteOldFailedCards(service.web, 30);
    expect(await states()).toEqual(['active', 'failed']);
    await sql`update cards set updated_at = now() - interval '31 days' where customer_id = ${customer.id}`;
    await deleteOldFailedCards(service.web, 30);
    expect(await states()).toEqual(['active']);
  });
});
