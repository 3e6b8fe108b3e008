import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { secrets, securityEvents, sessions } from '#db/schema.ts';
import { services } from '#src/api/services.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { retriesMax } from '#src/cards/lease-queries.ts';
import { claimReconciliation } from '#src/cards/reconcile-cards.ts';
import { add, attachedAt, leaseRunsOut, remove, statesOf } from '#src/cards/tests/support.ts';
import { tokenHash } from '#src/tokens.ts';
import { sandboxKeys, testService } from '#tools/testing/api.ts';
import { waitingForLock } from '#tools/testing/database.ts';
import { newCards, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { operatorOn } from './testing.ts';

const service = await testService();
const providerSettings = {
  STRIPE_SECRET_KEY: sandboxKeys.secretKey,
  STRIPE_API_BASE: service.sandbox.origin,
};
const operator = operatorOn(service, providerSettings);
const { db, sql } = service;

type CardDocument = { uuid: string; state: string; is_stuck: boolean; last_error: string | null } & Record<
  string,
  unknown
>;
type Document = {
  cards: CardDocument[];
  next: number | null;
  differences: Record<string, string>[];
  error: { code: string };
};
const card = (...args: string[]) => operator.json<Document>('card', ...args);
const fault = (operation: string, kind: string, times = 1_000) =>
  service.control('POST faults', { operation, kind, times });

beforeEach(async () => {
  await service.control('DELETE faults');
});

/** A card that was removed here, which the provider refuses to detach. */
async function notDetached(): Promise<{ customer: TestCustomer; uuid: string }> {
  const customer = await newCustomer(db);
  const { json } = await add(customer, 'tok_visa');
  const uuid = json.card?.uuid ?? '';
  await fault('paymentMethods.detach', '500');
  await remove(customer, uuid);
  return { customer, uuid };
}

async function stuckCard() {
  const removal = await notDetached();
  await sql`update cards set retries = ${retriesMax - 1} where uuid = ${removal.uuid}`;
  await leaseRunsOut(service);
  await completeCards(services());
  return removal;
}

describe('card list', () => {
  it('shows the cards of a customer in every state, latest first', async () => {
    const { customer, uuid } = await notDetached();
    const active = await add(customer, 'tok_mastercard');
    await add(customer, 'tok_chargeDeclined');
    const [method = ''] = await attachedAt(service, customer);
    const { code, document } = await card('list', customer.username);
    expect(code).toBe(0);
    expect(document.cards).toMatchObject([
      { state: 'failed', failure_code: expect.any(String) },
      {
        state: 'active',
        uuid: active.json.card?.uuid,
        brand: 'mastercard',
        last4: '4444',
        next_attempt_at: null,
      },
      {
        uuid,
        state: 'removing',
        is_stuck: false,
        retries: 0,
        next_attempt_at: expect.stringMatching(/^20/),
        last_error: 'unavailable: provider_failed',
        payment_method: expect.stringMatching(/^pm_/),
        provider_customer: expect.stringMatching(/^cus_/),
      },
    ]);
    const { stdout } = await operator.run('card list', customer.username);
    expect(stdout).toContain(method);
    expect(stdout).toContain('mastercard •••• 4444');
    expect(stdout).toMatch(/ retries .*\n(.*\n){2}.* 0 of 10 /);
    const page = await card('list', customer.username, '--limit', '1');
    const rest = await card('list', customer.username, '--after', String(page.document.next));
    expect([...page.document.cards, ...rest.document.cards]).toEqual(document.cards);
    expect(rest.document.next).toBeNull();
    const { stdout: first } = await operator.run('card list', customer.username, '--limit', '1');
    expect(first).toContain(`\nTo see more, add: --after ${page.document.next}\n`);
  });

  it('refuses an unknown customer', async () => {
    expect(await card('list', 'nobody')).toMatchObject({
      code: 1,
      document: { error: { code: 'not_found' } },
    });
  });
});

describe('card show', () => {
  it('finds a card by uuid and by payment method, with its audit', async () => {
    const customer = await newCustomer(db);
    const { json } = await add(customer, 'tok_visa');
    const uuid = json.card?.uuid ?? '';
    await remove(customer, uuid);
    const { document } = await card('show', uuid);
    expect(document.cards).toMatchObject([
      { uuid, state: 'removed', audit: [{ action: 'card.removed' }, { action: 'card.added' }] },
    ]);
    expect((await card('show', String(document.cards[0]?.payment_method))).document).toEqual(document);
    expect((await operator.run('card show', uuid)).stdout).toContain('card.added');
    for (const name of ['pm_unknown', `pm_${uuid}`, `${uuid}0`])
      expect(await card('show', name), name).toMatchObject({
        code: 1,
        document: { error: { code: 'not_found' } },
      });
  });
});

describe('card stuck', () => {
  it('lists stuck cards of all customers with the last error, and exits with 1', async () => {
    expect(await card('stuck')).toMatchObject({ code: 0, document: { cards: [] } });
    const { customer, uuid } = await stuckCard();
    expect(await card('stuck')).toMatchObject({
      code: 1,
      document: {
        cards: [
          { uuid, username: customer.username, is_stuck: true, last_error: 'unavailable: provider_failed' },
        ],
      },
    });
    const { stdout } = await operator.run('card stuck');
    expect(stdout).toMatch(/removing, stuck +0 h 0 min +pm_\w+ +unavailable: provider_failed/);
  });
});

describe('card retry', () => {
  it('finishes a stuck card, and records who did it', async () => {
    const { customer, uuid } = await stuckCard();
    const failed = await card('retry', customer.username);
    expect(failed).toMatchObject({
      code: 1,
      document: { cards: [{ uuid, state: 'removing', is_stuck: false }] },
    });
    await service.control('DELETE faults');
    expect(await card('retry', customer.username, '--actor', 'anna')).toMatchObject({
      code: 0,
      document: { cards: [{ uuid, state: 'removed' }] },
    });
    expect(await attachedAt(service, customer)).toEqual([]);
    const { document } = await card('show', uuid);
    expect(document.cards[0]?.audit).toMatchObject([
      { action: 'card.retried', actor: 'operator:anna' },
      { action: 'card.retried' },
      { action: 'card.removed' },
      { action: 'card.added' },
    ]);
    expect(await card('retry', customer.username)).toMatchObject({ code: 0, document: { cards: [] } });
  });

  it('ends a late authentication, and exits with 1 while the provider fails', async () => {
    const customer = await newCustomer(db);
    await add(customer, 'tok_threeDSecure2Required');
    await fault('setupIntents.cancel', '500');
    await sql`update cards set next_attempt_at = now() where customer_id = ${customer.id}`;
    await completeCards(services());
    expect(await card('retry', customer.username)).toMatchObject({
      code: 1,
      document: { cards: [{ state: 'authenticating', last_error: 'unavailable: provider_failed' }] },
    });
    const { document } = await card('list', customer.username);
    expect(document.cards).toMatchObject([{ retries: 1, next_attempt_at: expect.any(String) }]);
    expect((await operator.run('card list', customer.username)).stdout).toMatch(/authenticating .*1 of 10/);
    await service.control('DELETE faults');
    expect(await card('retry', customer.username)).toMatchObject({
      code: 0,
      document: { cards: [{ state: 'failed' }] },
    });
  });

  it('exits with 0 for a card that waits for its cardholder now', async () => {
    const customer = await newCustomer(db);
    await fault('setupIntents.create', '500');
    await add(customer, 'tok_threeDSecure2Required');
    expect(await statesOf(service, customer)).toEqual(['pending']);
    await service.control('DELETE faults');
    await leaseRunsOut(service);
    expect(await card('retry', customer.username)).toMatchObject({
      code: 0,
      document: { cards: [{ state: 'authenticating', retries: 0, next_attempt_at: null }] },
    });
  });

  it('says so when the provider rejects the key, which uses up no retry', async () => {
    const { customer, uuid } = await notDetached();
    await leaseRunsOut(service);
    const { STRIPE_API_BASE } = providerSettings;
    const denied = operatorOn(service, { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_API_BASE });
    const { code, stderr } = await denied.run('card retry', customer.username);
    expect([code, stderr]).toEqual([1, expect.stringContaining('STRIPE_SECRET_KEY')]);
    expect((await card('show', uuid)).document.cards).toMatchObject([{ state: 'removing', retries: 0 }]);
  });

  it('leaves the cards of other customers and of other workers alone', async () => {
    const [one, other] = [await notDetached(), await notDetached()];
    await service.control('DELETE faults');
    await card('retry', one.customer.username);
    expect(await statesOf(service, other.customer)).toEqual(['removing']);
    await sql`update cards set lease_until = now() + interval '1 minute' where uuid = ${other.uuid}`;
    expect(await card('retry', other.customer.username)).toMatchObject({
      code: 1,
      document: { cards: [{ uuid: other.uuid, state: 'removing' }] },
    });
    expect(await statesOf(service, other.customer)).toEqual(['removing']);
  });
});

describe('card sync', () => {
  const sync = (customer: TestCustomer) => card('sync', customer.username);

  it('removes a card that was detached at the provider', async () => {
    const customer = await newCustomer(db);
    await add(customer, 'tok_visa');
    expect(await sync(customer)).toMatchObject({ code: 0, document: { differences: [] } });
    const [method = ''] = await attachedAt(service, customer);
    await service.control(`POST payment_methods/${method}/detach`);
    expect(await sync(customer)).toMatchObject({
      code: 0,
      document: { differences: [{ kind: 'removed', payment_method: method }] },
    });
    expect(await statesOf(service, customer)).toEqual(['removed']);
  });

  it('removes the cards of a customer that was deleted at the provider, but none that its account does not have', async () => {
    const customer = await newCustomer(db);
    await add(customer, 'tok_visa');
    const [row] = await sql`select provider_customer_id as id from customers where id = ${customer.id}`;
    await service.control(`DELETE customers/${row?.id}`);
    await newCards(service.owner, customer, 1);
    await sql`update cards set provider_customer_id = ${row?.id} where customer_id = ${customer.id}`;
    expect((await sync(customer)).document.differences.map(({ kind }) => kind)).toEqual([
      'removed',
      'missing',
    ]);
    expect(await statesOf(service, customer)).toEqual(['active', 'removed']);
  });

  it('takes over changed details', async () => {
    const customer = await newCustomer(db);
    await add(customer, 'tok_visa');
    await sql`update cards set exp_year = 2031, last4 = '0000' where customer_id = ${customer.id}`;
    expect((await sync(customer)).document.differences).toMatchObject([{ kind: 'updated' }]);
    expect((await card('list', customer.username)).document.cards).toMatchObject([{ last4: '4242' }]);
    expect((await sync(customer)).document.differences).toEqual([]);
  });

  it('detaches a card that was removed here', async () => {
    const customer = await newCustomer(db);
    const { json } = await add(customer, 'tok_visa');
    const [method = ''] = await attachedAt(service, customer);
    await sql`update cards set state = 'removed' where uuid = ${json.card?.uuid ?? ''}`;
    expect(await sync(customer)).toMatchObject({
      code: 0,
      document: { differences: [{ kind: 'detached', payment_method: method }] },
    });
    expect(await attachedAt(service, customer)).toEqual([]);
    expect(await statesOf(service, customer)).toEqual(['removed']);
  });

  it('reports a payment method that is no card here, leaves it attached, and exits with 1', async () => {
    const customer = await newCustomer(db);
    await add(customer, 'tok_visa');
    const [method = ''] = await attachedAt(service, customer);
    await sql`delete from cards where customer_id = ${customer.id}`;
    expect(await sync(customer)).toMatchObject({
      code: 1,
      document: { differences: [{ kind: 'unknown', payment_method: method }] },
    });
    expect(await attachedAt(service, customer)).toEqual([method]);
  });

  it('says so in a sentence when the provider fails, and changes nothing', async () => {
    const customer = await newCustomer(db);
    await add(customer, 'tok_visa');
    await fault('customers.listPaymentMethods', '500');
    const { code, stderr } = await operator.run('card sync', customer.username);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^The payment provider failed\. .*provider_failed/),
    ]);
    const failed = await sync(customer);
    expect(failed).toMatchObject({ code: 1, document: { error: { code: 'provider_unavailable' } } });
    const nowhere = operatorOn(service, {
      STRIPE_SECRET_KEY: 'sk_test_x',
      STRIPE_API_BASE: 'http://127.0.0.1:9',
    });
    expect((await nowhere.run('card sync', customer.username)).stderr).toContain("couldn't be reached");
    const denied = operatorOn(service, {
      STRIPE_SECRET_KEY: 'sk_test_x',
      STRIPE_API_BASE: service.sandbox.origin,
    });
    const live = operatorOn(service, { ...providerSettings, STRIPE_SECRET_KEY: 'sk_live_x' });
    const sent = await live.run('card sync', customer.username);
    expect([sent.code, sent.stderr]).toEqual([2, expect.stringContaining('STRIPE_API_BASE cannot')]);
    expect((await denied.run('card retry', customer.username)).code).toBe(0);
    expect((await denied.run('card sync', customer.username)).stderr).toContain('rejected');
    const keyless = await operatorOn(service).run('card sync', customer.username);
    expect([keyless.code, keyless.stderr]).toEqual([2, expect.stringContaining('STRIPE_SECRET_KEY')]);
    expect(await statesOf(service, customer)).toEqual(['active']);
  });
});

describe('card reconcile', () => {
  it('compares the cards of all customers whenever none is under way, and exits with 1 if a person has to look', async () => {
    const [gone, unknown] = [await newCustomer(db), await newCustomer(db)];
    for (const customer of [gone, unknown]) await add(customer, 'tok_visa');
    const [goneMethod = ''] = await attachedAt(service, gone);
    await service.control(`POST payment_methods/${goneMethod}/detach`);
    await card('reconcile');
    expect(await statesOf(service, gone)).toEqual(['removed']);
    await sql`delete from cards where customer_id = ${unknown.id}`;
    const [method = ''] = await attachedAt(service, unknown);
    const { code, stdout, stderr } = await operator.run('card reconcile');
    expect([code, stderr]).toEqual([1, expect.stringContaining('left unchanged')]);
    expect(stdout).toMatch(
      new RegExp(`${unknown.username} +${method} +cus_\\w+ +is attached at the provider`),
    );
    await sql`update reconciliations set finished_at = null, lease_until = now() + interval '10 minutes' where id =
      (select max(id) from reconciliations)`;
    expect(await card('reconcile')).toMatchObject({ code: 1, document: { error: { code: 'refused' } } });
  });
});

it('card reconcile: ends after Ctrl-C, and lets the service go on at once', async () => {
  await sql`update reconciliations set finished_at = now() where finished_at is null`;
  const { child, closed } = await sql.begin(async (tx) => {
    await tx`lock table customers in access exclusive mode`;
    const started = operator.start(['card reconcile'], { stdio: ['ignore', 'ignore', 'pipe'] });
    await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
    started.kill('SIGINT');
    return { child: started, closed: once(started, 'close') };
  });
  const stderr = await text(child.stderr ?? Readable.from([]));
  await closed;
  expect([child.exitCode, stderr]).toEqual([1, expect.stringContaining('was interrupted')]);
  expect(await claimReconciliation(db, null)).toMatchObject({ finishedAt: null });
});

it('card reconcile: lists what was changed before the provider failed', async () => {
  await sql`update reconciliations set finished_at = now() where finished_at is null`;
  const [before] = await sql`select count(*)::int from customers where provider_customer_id is not null`;
  const customers = [await newCustomer(db), await newCustomer(db)];
  for (const customer of customers) {
    await add(customer, 'tok_visa');
    const [method = ''] = await attachedAt(service, customer);
    await service.control(`POST payment_methods/${method}/detach`);
  }
  // A page of customers is compared at once.
  const failure = { operation: 'customers.listPaymentMethods', kind: '401', times: 1_000 };
  await service.control('POST faults', { ...failure, after: before?.count + 1 });
  const { code, document } = await card('reconcile');
  expect([code, document.error.code]).toEqual([1, 'provider_unavailable']);
  const states = await Promise.all(customers.map((customer) => statesOf(service, customer)));
  const removed = customers.filter((_, index) => states[index]?.[0] === 'removed');
  expect(removed.length).toBeGreaterThan(0);
  expect(document.differences.map(({ username }) => username)).toEqual(
    expect.arrayContaining(removed.map(({ username }) => username)),
  );
});

describe('reconcile', () => {
  it('ends the sessions of a backup, audits it without their usernames, and names customers that were refused since', async () => {
    const message = expect.stringContaining('as --since');
    const refusal = { code: 1, document: { error: { code: 'refused', message } } };
    expect(await operator.json('reconcile')).toMatchObject(refusal);
    await sql`update reconciliations set finished_at = now() where finished_at is null`;
    const customer = await newCustomer(db);
    await add(customer, 'tok_visa');
    const since = '2026-11-20T09:00:00Z';
    const session = {
      customerId: customer.id,
      secretId: customer.secretId,
      expiresAt: new Date('2100-01-01'),
    };
    await service.owner.insert(sessions).values([
      { ...session, idHash: tokenHash('old'), createdAt: new Date('2026-11-20T08:59:59Z') },
      { ...session, idHash: tokenHash('new'), createdAt: new Date('2026-11-20T09:00:01Z') },
    ]);
    await service.owner
      .update(secrets)
      .set({ createdAt: new Date('2026-11-01') })
      .where(eq(secrets.id, customer.secretId));
    const event = { customerId: customer.id, event: 'authentication.refused', reason: 'secret_invalid' };
    await service.owner.insert(securityEvents).values([
      { ...event, address: '10.0.0.1', channel: 'api', at: new Date('2026-11-20T08:00:00Z') },
      { ...event, address: '10.0.0.1', channel: 'api', at: new Date('2026-11-20T10:00:00Z') },
    ]);
    // Other tests leave differences, for which the command exits with 1.
    const { document } = await operator.json('reconcile --since', since, '--actor', 'anna');
    expect(document).toMatchObject({
      restored_to: '2026-11-20T09:00:00+00:00',
      ended_sessions: 1,
      valid_secrets: 1,
      refused: [{ username: customer.username, failures: 1 }],
      ledger_differences: 0,
      cards: { failed: 0 },
    });
    const left = await service.owner.select().from(sessions);
    expect(left.map(({ idHash }) => idHash)).toEqual([tokenHash('new')]);
    const closed = await sql`
      select actor, subject, after from audit_entries where customer_id = ${customer.id} and action = 'session.closed'`;
    expect([...closed]).toEqual([{ actor: 'operator:anna', subject: null, after: {} }]);
    expect((await operator.run('reconcile --since yesterday')).code).toBe(2);
  });

  it('is about the last restore by command unless a time is given', async () => {
    for (const backupAt of ['2026-11-20T09:00:00Z', '2026-11-21T09:00:00Z'])
      await sql`
        insert into audit (actor, action, customer_id, subject, after, channel)
        values ('operator:anna', 'database.restored', 0, 'database', ${sql.json({ backupAt })}, 'cli')`;
    const restoredTo = async (...args: string[]) =>
      (await operator.json<{ restored_to: string }>('reconcile', ...args)).document.restored_to;
    expect(await restoredTo()).toBe('2026-11-21T09:00:00+00:00');
    expect(await restoredTo('--since', '2026-11-22T09:00:00Z')).toBe('2026-11-22T09:00:00+00:00');
  });
});

describe('the payment mode of the database', () => {
  it('decides over new secrets, and keeps commands from calling the provider with keys of another mode', async () => {
    const customer = await newCustomer(db);
    await sql`insert into payment_mode (mode) values ('live')`;
    const rotated = await operator.json<{ api_secret: string }>('secret rotate', customer.username);
    expect(rotated.document.api_secret).toMatch(/^secret_live_/);
    const { code, stderr } = await operator.run('card sync', customer.username);
    expect([code, stderr]).toEqual([2, expect.stringContaining('This database is for live Stripe keys')]);
  });
});
