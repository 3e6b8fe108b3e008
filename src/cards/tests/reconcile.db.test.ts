import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { reconciliations } from '#db/schema.ts';
import { services } from '#src/api/services.ts';
import { countBacklog } from '#src/cards/list-cards.ts';
import { claimReconciliation, type NamedDifference, reconcileCards } from '#src/cards/reconcile-cards.ts';
import { ProviderError } from '#src/payments/provider.ts';
import { startBackgroundJobs } from '#src/server/background-jobs.ts';
import { sandboxKeys, testService } from '#tools/testing/api.ts';
import { newCards, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import {
  add,
  attachedAt,
  endChallenge,
  providerCustomerOf,
  requestsTo,
  shownCards,
  statesOf,
} from './support.ts';

const service = await testService();
const { db, sql } = service;
const fault = (kind: string, rest: object = {}) =>
  service.control('POST faults', { operation: 'customers.listPaymentMethods', kind, times: 1_000, ...rest });
const listings = async () => (await requestsTo(service, 'customers.listPaymentMethods')).length;

const reconcile = async (
  options: { isByHand?: boolean; signal?: AbortSignal } = {},
  provider = services().provider,
) => {
  const differences: NamedDifference[] = [];
  const failures: number[] = [];
  const counts = await reconcileCards(
    { ...services(), provider },
    {
      ...options,
      onDifference: (difference) => differences.push(difference),
      onFailure: (customerId) => failures.push(customerId),
    },
  );
  return { counts, differences, failures };
};

async function withCard(): Promise<{ customer: TestCustomer; method: string }> {
  const customer = await newCustomer(db);
  await add(customer, 'tok_visa');
  const [method = ''] = await attachedAt(service, customer);
  return { customer, method };
}

const runIsADayOld = () =>
  sql`update reconciliations set started_at = started_at - interval '25 hours', lease_until = now()`;

const minutesPass = (minutes: number) =>
  sql`update reconciliations set lease_until = lease_until - make_interval(mins => ${minutes})`;

beforeEach(async () => {
  await sql`delete from reconciliations`;
  await sql`delete from cards`;
  await sql`update customers set provider_customer_id = null`;
  await service.control('DELETE faults');
  await service.control('DELETE requests');
});

describe('reconcileCards', () => {
  it('finds differences of all customers in both directions', async () => {
    const [gone, detached, unknown, same] = [
      await withCard(),
      await withCard(),
      await withCard(),
      await withCard(),
    ];
    await service.control(`POST payment_methods/${gone.method}/detach`);
    await sql`update cards set state = 'removed' where customer_id = ${detached.customer.id}`;
    await sql`delete from cards where customer_id = ${unknown.customer.id}`;
    // The provider does not know it.
    await sql`update cards set address_zip = '94103' where customer_id = ${same.customer.id}`;
    const { counts, differences } = await reconcile();
    expect(counts).toEqual({
      customers: 4,
      failed: 0,
      removed: 1,
      updated: 0,
      detached: 1,
      unknown: 1,
      missing: 0,
    });
    // In the order in which the provider happened to respond.
    expect(differences.toSorted((a, b) => a.kind.localeCompare(b.kind))).toMatchObject([
      { kind: 'detached', username: detached.customer.username, paymentMethodId: detached.method },
      { kind: 'removed', username: gone.customer.username, paymentMethodId: gone.method },
      { kind: 'unknown', username: unknown.customer.username, paymentMethodId: unknown.method },
    ]);
    expect(await statesOf(service, gone.customer)).toEqual(['removed']);
    expect(await attachedAt(service, detached.customer)).toEqual([]);
    expect(await attachedAt(service, unknown.customer)).toEqual([unknown.method]);
    expect(await statesOf(service, same.customer)).toEqual(['active']);
  });

  it('updates a card whose event was lost', async () => {
    const { customer, method } = await withCard();
    await service.control(`POST payment_methods/${method}/update`, { exp_year: 2069 });
    const { counts, differences } = await reconcile();
    expect(counts).toMatchObject({ customers: 1, updated: 1 });
    expect(differences).toMatchObject([{ kind: 'updated', paymentMethodId: method }]);
    expect(await shownCards(customer)).toMatchObject([{ expYear: '2069' }]);
    expect((await reconcile({ isByHand: true })).differences).toEqual([]);
  });

  it('sends one request for the cards of a customer that are the same, even if the provider does not know all details', async () => {
    await withCard();
    const { provider } = services();
    const listCards: typeof provider.listCards = async (id) =>
      (await provider.listCards(id)).map((card) => ({ ...card, brand: null, funding: null }));
    await service.control('DELETE requests');
    expect((await reconcile({}, { ...provider, listCards })).differences).toEqual([]);
    const { data } = await service.control('GET requests');
    expect(data.map(({ operation }) => operation)).toEqual(['customers.listPaymentMethods']);
  });

  it('compares cards of an earlier customer at the provider, even when the customer has none now', async () => {
    const { customer, method } = await withCard();
    await sql`update customers set provider_customer_id = null where id = ${customer.id}`;
    await service.control(`POST payment_methods/${method}/detach`);
    expect((await reconcile()).differences).toMatchObject([{ kind: 'removed', paymentMethodId: method }]);
    expect(await statesOf(service, customer)).toEqual(['removed']);
  });

  it('keeps cards that the account of the keys does not have, because another account has none of them', async () => {
    const { customer } = await withCard();
    const id = await providerCustomerOf(service, customer);
    await newCards(service.owner, customer, 1);
    await sql`update cards set provider_customer_id = ${id} where customer_id = ${customer.id}`;
    const { differences } = await reconcile();
    expect(differences).toMatchObject([{ kind: 'missing', paymentMethodId: `pm_of_${customer.id}-0` }]);
    expect(await statesOf(service, customer)).toEqual(['active', 'active']);
  });

  it('leaves cards that are being added or removed to the completer', async () => {
    const { customer } = await withCard();
    for (const state of ['pending', 'removing']) {
      await sql`update cards set state = ${state} where customer_id = ${customer.id}`;
      expect((await reconcile({ isByHand: true })).differences).toEqual([]);
      expect(await statesOf(service, customer)).toEqual([state]);
    }
  });

  it('adds a card that its cardholder has authenticated, when the event was lost', async () => {
    const customer = await newCustomer(db);
    const { setupIntentId } = await add(customer, 'tok_threeDSecure2Required');
    await endChallenge(service, setupIntentId);
    expect(await statesOf(service, customer)).toEqual(['authenticating']);
    expect((await reconcile()).differences).toEqual([]);
    expect(await statesOf(service, customer)).toEqual(['active']);
  });

  it('does not report a card that is added after the cards of the provider were read', async () => {
    const { customer } = await withCard();
    const { provider } = services();
    const listCards: typeof provider.listCards = async (id) => {
      const listed = await provider.listCards(id);
      await add(customer, 'tok_mastercard');
      return listed;
    };
    expect((await reconcile({}, { ...provider, listCards })).differences).toEqual([]);
    expect(await statesOf(service, customer)).toEqual(['active', 'active']);
  });

  it('does not report a refused card that is detached while the cards are compared', async () => {
    const { customer, method } = await withCard();
    await sql`update cards set state = 'failed', failure_code = 'card_already_added', provider_customer_id = null
      where customer_id = ${customer.id}`;
    const { provider } = services();
    const listCards: typeof provider.listCards = async (id) => {
      const listed = await provider.listCards(id);
      await service.control(`POST payment_methods/${method}/detach`);
      return listed;
    };
    expect((await reconcile({}, { ...provider, listCards })).differences).toEqual([]);
  });

  it('does not report a payment method that the provider no longer has', async () => {
    await withCard();
    const { provider } = services();
    const listCards: typeof provider.listCards = async (id) =>
      (await provider.listCards(id)).flatMap((card) => [card, { ...card, paymentMethodId: 'pm_gone' }]);
    expect((await reconcile({}, { ...provider, listCards })).differences).toEqual([]);
  });

  it('runs once a day, whatever the number of instances', async () => {
    await withCard();
    const runs = await Promise.all([reconcile(), reconcile(), reconcile()]);
    expect(runs.filter(({ counts }) => counts !== undefined)).toHaveLength(1);
    expect((await reconcile()).counts).toBeUndefined();
    expect(await listings()).toBe(1);
    await runIsADayOld();
    expect((await reconcile()).counts).toMatchObject({ customers: 1 });
    expect((await reconcile({ isByHand: true })).counts).toMatchObject({ customers: 1 });
  });

  it.each([
    ['after a run', sql`now() + interval '1 year'`],
    ['during a run', sql`null`],
  ])('runs although the clock of the database was set back %s', async (_, finishedAt) => {
    await withCard();
    await sql`
      insert into reconciliations (started_at, finished_at, lease_until, leased_by, counts)
      values (now() + interval '1 year', ${finishedAt}, now() + interval '1 year', ${services().instanceId()}, '{"customers": 0}')`;
    expect((await reconcile()).counts).toMatchObject({ customers: 1 });
    expect((await reconcile()).counts).toBeUndefined();
    const { reconciledSecondsAgo } = await countBacklog(db);
    expect(Math.abs(reconciledSecondsAgo)).toBeLessThan(60);
  });

  it('continues 5 minutes later, after the last compared customer, when the provider fails in between', async () => {
    for (const _ of Array.from({ length: 6 })) await withCard();
    await fault('500', { after: 4 });
    await expect(reconcile()).rejects.toMatchObject({ reason: 'provider_failed' });
    await service.control('DELETE faults');
    await service.control('DELETE requests');
    await minutesPass(4);
    expect((await reconcile()).counts).toBeUndefined();
    await minutesPass(1);
    expect((await reconcile()).counts).toMatchObject({ customers: 6, failed: 0 });
    expect(await listings()).toBe(2);
  });

  it.each([
    ['continues a run that takes more than a day, so that the last customers are compared too', {}, 2],
    ['begins again at the first customer when it is started by hand', { isByHand: true }, 6],
  ])('%s', async (_, options, expected) => {
    for (const _ of Array.from({ length: 6 })) await withCard();
    await fault('500', { after: 4 });
    await expect(reconcile()).rejects.toMatchObject({ reason: 'provider_failed' });
    await service.control('DELETE faults');
    await service.control('DELETE requests');
    await runIsADayOld();
    expect((await reconcile(options)).counts).toMatchObject({ customers: 6, failed: 0 });
    expect(await listings()).toBe(expected);
  });

  it('continues at once when the instance that ran it has died', async () => {
    await withCard();
    await sql`insert into reconciliations (lease_until, leased_by, counts, after_customer_id)
      values (now() + interval '10 minutes', 1, '{"customers": 5}', 0)`;
    expect((await reconcile()).counts).toMatchObject({ customers: 6 });
  });

  it.each([
    ['succeeds', undefined],
    ['fails', new ProviderError('denied', 'not_ours', false)],
  ])('writes nothing after another instance has taken it over, when the provider %s', async (_, failure) => {
    for (const _ of Array.from({ length: 5 })) await withCard();
    const { provider } = services();
    const takeOver = async () => {
      await sql`update reconciliations set lease_until = now(), leased_by = null`;
      return claimReconciliation(db, null);
    };
    let taken: ReturnType<typeof takeOver> | undefined;
    const listCards = async (providerCustomerId: string) => {
      taken ??= takeOver();
      await taken;
      if (failure) throw failure;
      return provider.listCards(providerCustomerId);
    };
    const [onDifference, onFailure] = [vi.fn(), vi.fn()];
    const slow = { ...services(), provider: { ...provider, listCards } };
    const counts = await reconcileCards(slow, { onDifference, onFailure }).catch((error: unknown) => error);
    expect(counts).toBe(failure);
    const { version: _version, ...row } = (await taken) ?? {};
    expect(await db.select().from(reconciliations)).toEqual([row]);
  });

  it('counts a customer that cannot be compared and goes on', async () => {
    const [one] = [await withCard(), await withCard()];
    await fault('400', { times: 1 });
    const { counts, failures } = await reconcile();
    expect(counts).toMatchObject({ customers: 2, failed: 1 });
    expect(failures).toHaveLength(1);
    expect(await statesOf(service, one.customer)).toEqual(['active']);
  });

  it('counts the only customer when it cannot be compared', async () => {
    const { customer } = await withCard();
    await fault('400', { times: 1 });
    const { counts, failures } = await reconcile();
    expect(counts).toMatchObject({ customers: 1, failed: 1 });
    expect(failures).toEqual([customer.id]);
  });

  it('throws a fault of ours, and keeps the lease until it expires', async () => {
    const [one] = [await withCard(), await withCard()];
    const { provider } = services();
    const broken = await providerCustomerOf(service, one.customer);
    const fault = new TypeError('x is not a function');
    const listCards: typeof provider.listCards = (id) =>
      id === broken ? Promise.reject(fault) : provider.listCards(id);
    await expect(reconcile({}, { ...provider, listCards })).rejects.toBe(fault);
    await minutesPass(9);
    expect((await reconcile()).counts).toBeUndefined();
    await minutesPass(1);
    expect((await reconcile()).counts).toMatchObject({ customers: 2, failed: 0 });
  });

  it('goes on after a customer with an object that the account of the keys does not have', async () => {
    const [one] = [await withCard(), await withCard()];
    const { provider } = services();
    const unknown = await providerCustomerOf(service, one.customer);
    const listCards: typeof provider.listCards = async (id) => {
      if (id === unknown) throw new ProviderError('denied', 'setup_unknown', false);
      return provider.listCards(id);
    };
    const { counts, failures } = await reconcile({}, { ...provider, listCards });
    expect(counts).toMatchObject({ customers: 2, failed: 1 });
    expect(failures).toEqual([one.customer.id]);
  });

  it('stops when the provider rejects the key', async () => {
    await withCard();
    await service.restart({ STRIPE_SECRET_KEY: 'sk_test_wrong' });
    onTestFinished(async () => void (await service.restart({ STRIPE_SECRET_KEY: sandboxKeys.secretKey })));
    await expect(reconcile()).rejects.toMatchObject({ kind: 'denied' });
  });

  it('lets another instance go on when its own is stopped', async () => {
    await withCard();
    expect((await reconcile({ signal: AbortSignal.abort() })).counts).toBeUndefined();
    expect((await reconcile()).counts).toMatchObject({ customers: 1 });
  });

  it('is started by the background jobs, which log differences and counts', async () => {
    const { customer } = await withCard();
    await sql`delete from cards`;
    const [info, warn] = [vi.spyOn(services().log, 'info'), vi.spyOn(services().log, 'warn')];
    onTestFinished(startBackgroundJobs(services()));
    const counts = { customers: 1, failed: 0, removed: 0, updated: 0, detached: 0, unknown: 1, missing: 0 };
    await expect
      .poll(() => info.mock.calls)
      .toContainEqual([{ counts }, 'The cards were compared with the provider.']);
    expect(warn).toHaveBeenCalledWith(
      { customerId: customer.id, paymentMethodId: expect.any(String), difference: 'unknown' },
      'A card differed from the provider.',
    );
  });
});
