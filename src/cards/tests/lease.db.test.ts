import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { instanceLockName } from '#db/instance-lock.ts';
import { cards } from '#db/schema.ts';
import { services } from '#src/api/services.ts';
import { addCard } from '#src/cards/add-card.ts';
import {
  abandonAddition,
  activateCard,
  claimCard,
  storePaymentMethod,
  updateAddition,
} from '#src/cards/addition-queries.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { failCard, finishCard } from '#src/cards/finish-card.ts';
import { claimUnfinished, releaseCard, retriesMax, uncountRetry } from '#src/cards/lease-queries.ts';
import { reconcileCustomer } from '#src/cards/reconcile-customer.ts';
import { type CardProvider, ProviderError } from '#src/payments/provider.ts';
import { tokenHash } from '#src/tokens.ts';
import { testService } from '#tools/testing/api.ts';
import { waitingForLock } from '#tools/testing/database.ts';
import { newCards, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import {
  add,
  attachElsewhere,
  attachedAt,
  endChallenge,
  expectSettled,
  injectFault,
  intentsOf,
  leaseRunsOut,
  paymentMethodOf,
  remove,
  requestsTo,
  statesOf,
  tokenOf,
} from './support.ts';

const service = await testService();
const complete = () => completeCards(services());
/** As if the network had cut the connection that says that the instance lives. */
const endInstances = async () => {
  await expect.poll(services().instanceId).not.toBeNull();
  await service.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = ${instanceLockName} and datname = current_database()`;
};
const steps = ['paymentMethods.create', 'setupIntents.create'];

/** Starts adding a card while the provider is slow in one step, until it goes on. */
async function slowly(operation: string) {
  const customer = await newCustomer(service.db);
  const token = await tokenOf(service);
  await service.control('POST faults', { operation, kind: 'slow', times: 1, delayMs: 9_000 });
  const first = add(customer, token);
  await expect.poll(() => statesOf(service, customer)).toEqual(['pending']);
  return { customer, token, first, goOn: () => service.control('DELETE faults') };
}

test.each(steps)(
  'addCard: returns 409 while another request holds the lease during a slow %s',
  async (step) => {
    const { customer, token, first, goOn } = await slowly(step);
    expect((await add(customer, token)).status).toBe(409);
    await Promise.all([complete(), complete()]);
    expect(await statesOf(service, customer)).toEqual(['pending']);
    await goOn();
    expect((await first).json).toMatchObject({ status: true });
    expect(await intentsOf(service, customer)).toBe(1);
    expect(await expectSettled(service, customer)).toBe(1);
  },
);

/** Lets a slow addition go on, and expects that it and the same token again add one card. */
async function expectOneCard({ customer, token, first, goOn }: Awaited<ReturnType<typeof slowly>>) {
  await goOn();
  const { status, text } = await first;
  expect([200, 409]).toContain(status);
  const again = await add(customer, token);
  expect(again.json.status).toBe(true);
  if (status === 200) expect(again.text).toBe(text);
  expect(await intentsOf(service, customer)).toBe(1);
  expect(await expectSettled(service, customer)).toBe(1);
}

test.each(steps)('addCard: adds the same card when the lease expires during a slow %s', async (step) => {
  const slow = await slowly(step);
  await leaseRunsOut(service);
  // 409 when the provider was still at work for the other request.
  expect([200, 409]).toContain((await add(slow.customer, slow.token)).status);
  await expectOneCard(slow);
});

test('addCard: takes over a card whose lease was set before the clock of the database was set back', async () => {
  const customer = await newCustomer(service.db);
  const token = await tokenOf(service);
  await claimCard(service.web, null, customer.id, tokenHash(token));
  expect((await add(customer, token)).status).toBe(409);
  await service.sql`update cards set lease_until = now() + interval '2 hours' where customer_id = ${customer.id}`;
  expect((await add(customer, token)).json.status).toBe(true);
  expect(await expectSettled(service, customer)).toBe(1);
});

test('addCard: does not activate a card whose addition fails at the same time', async () => {
  const customer = await newCustomer(service.db);
  const claimed = await claimCard(service.web, null, customer.id, tokenHash(await tokenOf(service)));
  if (!claimed) throw new Error('The token was posted before.');
  const attached = { providerCustomerId: 'cus_1', postalCodeCheck: null };
  await service.sql`update customers set provider_customer_id = 'cus_1' where id = ${customer.id}`;
  let activation: ReturnType<typeof activateCard> | undefined;
  await service.sql.begin(async (sql) => {
    await sql`update cards set state = 'failed', failure_code = 'token_invalid', lease_until = null where id = ${claimed.id}`;
    activation = activateCard(service.web, claimed, attached);
    await expect.poll(() => waitingForLock(service.sql)).toHaveLength(1);
  });
  expect(await activation).toMatchObject({ outcome: 'superseded' });
  expect(await statesOf(service, customer)).toEqual(['failed']);
});

test('addCard: goes on with an addition that is abandoned while the token is posted again', async () => {
  const customer = await newCustomer(service.db);
  const token = await tokenOf(service);
  const claimed = await claimCard(service.web, null, customer.id, tokenHash(token));
  if (!claimed) throw new Error('The token was posted before.');
  const waiting = async () => {
    const [row] = await service.sql`
      select count(*)::int from pg_locks where not granted and pid in (
        select pid from pg_stat_activity where datname = current_database())`;
    return row?.count;
  };
  const holder = await service.sql.reserve();
  await holder`begin`;
  await holder`lock table cards in share mode`;
  // The insertion of the request waits for the table, the abandonment for the insertion, and the next statement for it.
  const again = add(customer, token);
  await expect.poll(waiting).toBe(1);
  const abandoned = service.sql.begin(async (sql) => {
    await sql`lock table cards in access exclusive mode`;
    await sql`update cards set state = 'failed', failure_code = 'abandoned', lease_until = null where id = ${claimed.id}`;
  });
  await expect.poll(waiting).toBe(2);
  await holder`commit`;
  holder.release();
  await abandoned;
  expect((await again).json).toMatchObject({ status: true });
});

test('addCard: goes on with an addition that the completer has abandoned', async () => {
  const customer = await newCustomer(service.db);
  const token = await tokenOf(service);
  await injectFault(service, 'paymentMethods.create', 'reset');
  expect((await add(customer, token)).status).toBe(424);
  await leaseRunsOut(service);
  await service.sql`update cards set retries = 5 where customer_id = ${customer.id}`;
  await complete();
  const rows = await service.sql`
    select state, failure_code, lease_until, retries, next_attempt_at <= now() as is_due
    from cards where customer_id = ${customer.id}`;
  const abandoned = { state: 'failed', failure_code: 'abandoned', lease_until: null };
  expect([...rows]).toEqual([{ ...abandoned, retries: 0, is_due: true }]);
  expect((await add(customer, token)).json).toMatchObject({ status: true });
  expect(await expectSettled(service, customer)).toBe(1);
});

test('completeCards: does not abandon a card whose payment method a slow worker has stored meanwhile', async () => {
  const customer = await newCustomer(service.db);
  const claimed = await claimCard(service.web, null, customer.id, tokenHash('slow'));
  if (!claimed) throw new Error('The token was posted before.');
  await updateAddition(service.web, claimed, { paymentMethodId: 'pm_slow' });
  await abandonAddition(service.web, claimed);
  expect(await statesOf(service, customer)).toEqual(['pending']);
});

test('addCard: a slow worker does not take a card that another worker has attached meanwhile for one that was attached before', async () => {
  const customer = await newCustomer(service.db);
  const claimed = await claimCard(service.web, null, customer.id, tokenHash('slow'));
  if (!claimed) throw new Error('The token was posted before.');
  const stored = { paymentMethodId: 'pm_slow', providerCustomerId: null };
  expect(await storePaymentMethod(service.web, claimed, stored)).toMatchObject({ row: stored });
  const late = { ...stored, providerCustomerId: 'cus_of_the_other_worker' };
  expect(await storePaymentMethod(service.web, claimed, late)).toMatchObject({ row: stored });
});

const withSaveCard = (saveCard: CardProvider['saveCard']) => {
  const ctx = services();
  return { ...ctx, provider: { ...ctx.provider, saveCard } };
};

test('addCard: a slow worker detaches the card that it attached after another worker had ended the addition', async () => {
  const customer = await newCustomer(service.db);
  await add(customer, 'tok_mastercard');
  const [token, same] = [await tokenOf(service), await tokenOf(service)];
  const slow = withSaveCard(async (input) => {
    await leaseRunsOut(service);
    expect((await add(customer, same)).json).toMatchObject({ status: true });
    await complete();
    return services().provider.saveCard(input);
  });
  const outcome = await addCard(slow, { customerId: customer.id, token, card: {} });
  expect(outcome).toMatchObject({ failure: 'card_already_added' });
  expect(await expectSettled(service, customer)).toBe(2);
});

/**
 * The provider's response is lost, and the addition fails, because a card with the same number is on file by then.
 * @returns what attaches the card at the provider late
 */
async function failAddition(customer: TestCustomer, token: string): Promise<() => Promise<unknown>> {
  let attach = () => Promise.resolve<unknown>(undefined);
  const timedOut = withSaveCard(async (input) => {
    attach = () => services().provider.saveCard(input);
    throw new ProviderError('unavailable', 'not_reached', false);
  });
  const refused = addCard(timedOut, { customerId: customer.id, token, card: {} });
  await expect(refused).rejects.toMatchObject({ code: 'provider_unavailable' });
  expect((await add(customer, await tokenOf(service))).json).toMatchObject({ status: true });
  await leaseRunsOut(service);
  await complete();
  return attach;
}

test('reconcileCustomer: detaches a card that the provider attached after its addition had failed', async () => {
  const customer = await newCustomer(service.db);
  await add(customer, 'tok_mastercard');
  const attach = await failAddition(customer, await tokenOf(service));
  await attach();
  expect(await attachedAt(service, customer)).toHaveLength(3);
  const differences = await reconcileCustomer(services(), customer.id);
  expect(differences.map(({ kind }) => kind)).toEqual(['detached']);
  expect(await expectSettled(service, customer)).toBe(2);
  expect(await reconcileCustomer(services(), customer.id)).toEqual([]);
});

test('reconcileCustomer: reports a card that was attached elsewhere before its addition failed, and leaves it', async () => {
  const customer = await newCustomer(service.db);
  await add(customer, 'tok_mastercard');
  const method = await paymentMethodOf(service, await tokenOf(service));
  await attachElsewhere(service, customer, method);
  await failAddition(customer, method);
  const differences = await reconcileCustomer(services(), customer.id);
  expect(differences).toMatchObject([{ kind: 'unknown', paymentMethodId: method }]);
  expect(await attachedAt(service, customer)).toContain(method);
});

test('reconcileCustomer: reports a card that was attached elsewhere after its addition by another customer had failed', async () => {
  const [customer, other] = [await newCustomer(service.db), await newCustomer(service.db)];
  await add(customer, 'tok_mastercard');
  const method = await paymentMethodOf(service, await tokenOf(service));
  await failAddition(other, method);
  await attachElsewhere(service, customer, method);
  const differences = await reconcileCustomer(services(), customer.id);
  expect(differences).toMatchObject([{ kind: 'unknown', paymentMethodId: method }]);
  expect(await attachedAt(service, customer)).toContain(method);
});

test('reconcileCustomer: detaches a card that a worker attached after another had taken over and ended its addition', async () => {
  const customer = await newCustomer(service.db);
  await add(customer, 'tok_mastercard');
  const [token, same] = [await tokenOf(service), await tokenOf(service)];
  const attaching: (() => Promise<unknown>)[] = [];
  const overtaken = withSaveCard(async (input) => {
    attaching.push(() => services().provider.saveCard(input));
    expect((await add(customer, same)).json).toMatchObject({ status: true });
    await leaseRunsOut(service);
    await complete();
    throw new ProviderError('unavailable', 'not_reached', false);
  });
  const outcome = await addCard(overtaken, { customerId: customer.id, token, card: {} }).catch(
    (error) => error.code,
  );
  expect(outcome).toBe('provider_unavailable');
  expect(await statesOf(service, customer)).toEqual(['active', 'active', 'failed']);
  for (const attach of attaching) await attach();
  const differences = await reconcileCustomer(services(), customer.id);
  expect(differences.map(({ kind }) => kind)).toEqual(['detached']);
  expect(await expectSettled(service, customer)).toBe(2);
});

test('addCard: leaves other removals, which may take long, to the completer', async () => {
  const customer = await newCustomer(service.db);
  const { json } = await add(customer, 'tok_mastercard');
  await injectFault(service, 'paymentMethods.detach', '429', 4);
  expect((await remove(customer, json.card?.uuid ?? '')).status).toBe(200);
  await service.control('DELETE requests');
  expect((await add(customer, 'tok_visa')).json.status).toBe(true);
  expect(await requestsTo(service, 'paymentMethods.detach')).toEqual([]);
  expect(await statesOf(service, customer)).toEqual(['active', 'removing']);
  await service.control('DELETE faults');
});

test('reconcileCustomer: reports a card that was refused and then attached elsewhere, and leaves it', async () => {
  const customer = await newCustomer(service.db);
  await add(customer, 'tok_visa');
  const method = await paymentMethodOf(service, 'tok_visa');
  expect((await add(customer, method)).json.code).toBe('card_already_added');
  await attachElsewhere(service, customer, method);
  const differences = await reconcileCustomer(services(), customer.id);
  expect(differences.map(({ kind }) => kind)).toEqual(['unknown']);
  expect(await attachedAt(service, customer)).toContain(method);
});

test.each([
  [
    'the authentication',
    '4000002760003184',
    { code: 'authentication_required' },
    { status: 'authentication_required', clientSecret: expect.any(String) },
  ],
  ['the card', '4242424242424242', { status: true }, { status: 'added' }],
])('addCard: a slow worker returns %s of another worker', async (_, number, response, outcome) => {
  const customer = await newCustomer(service.db);
  const token = await tokenOf(service, number);
  const ctx = services();
  const cardOfToken: CardProvider['cardOfToken'] = async (...input) => {
    const card = await ctx.provider.cardOfToken(...input);
    await leaseRunsOut(service);
    expect((await add(customer, token)).json).toMatchObject(response);
    return card;
  };
  const slow = { ...ctx, provider: { ...ctx.provider, cardOfToken } };
  expect(await addCard(slow, { customerId: customer.id, token, card: {} })).toMatchObject(outcome);
});

test('addCard: a slow worker whose card is declined returns the card that another worker has added', async () => {
  const customer = await newCustomer(service.db);
  const token = await tokenOf(service);
  const slow = withSaveCard(async () => {
    await leaseRunsOut(service);
    expect((await add(customer, token)).json).toMatchObject({ status: true });
    throw new ProviderError('card', 'card_declined', true);
  });
  const outcome = await addCard(slow, { customerId: customer.id, token, card: {} });
  expect(outcome).toMatchObject({ status: 'added' });
});

describe('addCard: a slow worker whose setup intent is not the one that the customer authenticates', () => {
  /** Another worker goes on with another key after a failure, and its customer is asked to authenticate. */
  async function overtaken(saveCard: CardProvider['saveCard']) {
    const customer = await newCustomer(service.db);
    const token = await tokenOf(service, '4000002760003184');
    const retries: Awaited<ReturnType<typeof add>>[] = [];
    const slow = withSaveCard(async (input) => {
      await leaseRunsOut(service);
      await service.sql`update cards set attempt = attempt + 1 where customer_id = ${customer.id}`;
      retries.push(await add(customer, token));
      return saveCard(input);
    });
    const outcome = await addCard(slow, { customerId: customer.id, token, card: {} });
    const [retry] = retries;
    if (!retry) throw new Error('The slow worker has not asked the provider.');
    return { customer, token, outcome, retry };
  }

  test('returns the client secret of the other worker', async () => {
    const { customer, token, outcome, retry } = await overtaken((input) =>
      services().provider.saveCard(input),
    );
    expect(await intentsOf(service, customer)).toBe(2);
    const clientSecret = retry.json.next_action?.client_secret;
    expect(outcome).toEqual({ status: 'authentication_required', clientSecret });
    await endChallenge(service, retry.setupIntentId);
    expect((await add(customer, token)).json).toMatchObject({ status: true });
    expect(await expectSettled(service, customer)).toBe(1);
  });

  test.each([
    ['declined', async () => Promise.reject(new ProviderError('card', 'card_declined', true))],
    ['failed', async () => ({ status: 'failed', reason: 'card_declined', isReplayed: false }) as const],
  ])('does not end its addition when its own attempt was %s', async (_, saveCard) => {
    const { customer, token, outcome, retry } = await overtaken(saveCard);
    const clientSecret = retry.json.next_action?.client_secret;
    expect(outcome).toEqual({ status: 'authentication_required', clientSecret });
    expect(await statesOf(service, customer)).toEqual(['authenticating']);
    await endChallenge(service, retry.setupIntentId);
    expect((await add(customer, token)).json).toMatchObject({ status: true });
    expect(await expectSettled(service, customer)).toBe(1);
  });
});

test('finishCard: asks the provider nothing about a card that has ended, or whose payment method is not stored', async () => {
  const customer = await newCustomer(service.db);
  await add(customer, 'tok_visa');
  const [row] = await service.db.select().from(cards).where(eq(cards.customerId, customer.id));
  if (!row) throw new Error('There is no card.');
  await service.control('DELETE requests');
  for (const changes of [{}, { state: 'removed' }, { state: 'pending', paymentMethodId: null }] as const) {
    const card = { ...row, ...changes };
    expect(await finishCard(services(), card, { isResumed: true })).toBe(card);
  }
  expect((await service.control('GET requests')).data).toEqual([]);
});

test('releaseCard: leaves the lease of the worker that has taken the card over', async () => {
  const customer = await newCustomer(service.db);
  const claimed = await claimCard(service.web, null, customer.id, tokenHash('released'));
  await leaseRunsOut(service);
  const successor = await claimCard(service.web, null, customer.id, tokenHash('released'));
  if (!claimed || !successor) throw new Error('The card is not claimed.');
  await releaseCard(service.web, claimed, new ProviderError('unavailable', 'not_reached', false));
  expect(await claimCard(service.web, null, customer.id, tokenHash('released'))).toBeUndefined();
  await releaseCard(service.web, successor, new ProviderError('unavailable', 'not_reached', false));
  expect(await claimCard(service.web, null, customer.id, tokenHash('released'))).toBeDefined();
});

test.each(steps)('addCard: adds one card when the instance loses its lock during a slow %s', async (step) => {
  const slow = await slowly(step);
  await endInstances();
  expect([200, 409]).toContain((await add(slow.customer, slow.token)).status);
  await Promise.all([complete(), complete()]);
  await expectOneCard(slow);
});

test('instance lock: is held again, with another ID, after PostgreSQL ended its connection', async () => {
  await expect.poll(services().instanceId).not.toBeNull();
  const before = services().instanceId();
  await endInstances();
  await expect.poll(services().instanceId).toBeNull();
  await expect.poll(services().instanceId).not.toBeNull();
  expect(services().instanceId()).not.toBe(before);
  const { customer, token, first, goOn } = await slowly('setupIntents.create');
  expect((await add(customer, token)).status).toBe(409);
  await goOn();
  expect((await first).status).toBe(200);
});

test('instance lock: holds back no vacuum', async () => {
  await expect.poll(services().instanceId).not.toBeNull();
  const sessions = await service.sql`
    select backend_xid, backend_xmin from pg_stat_activity
    where application_name = ${instanceLockName} and datname = current_database()`;
  expect([...sessions]).toEqual([{ backend_xid: null, backend_xmin: null }]);
});

test('failCard: leaves the card of another customer attached who has posted the same payment method', async () => {
  const [one, other] = [await newCustomer(service.db), await newCustomer(service.db)];
  await add(one, 'tok_mastercard');
  const claimed = await claimCard(service.web, null, one.id, tokenHash('shared'));
  if (!claimed) throw new Error('The token was posted before.');
  await add(other, 'tok_visa');
  const [row] = await service.sql`select payment_method_id as id from cards where customer_id = ${other.id}`;
  // Read before the other customer's addition attached it.
  await updateAddition(service.web, claimed, { paymentMethodId: row?.id });
  await failCard(services(), claimed, 'token_invalid');
  expect(await statesOf(service, one)).toEqual(['active', 'failed']);
  expect(await expectSettled(service, other)).toBe(1);
});

test('the completer goes on with another card while a row is locked, and while all that it looks at first are', async () => {
  const { id: customerId } = await newCustomer(service.db);
  const due = await service.sql<{ id: string }[]>`
    insert into cards (customer_id, token_hash, state, next_attempt_at)
    select ${customerId}, sha256(n::text::bytea), 'removing', now() - interval '1 day' + n * interval '1 second'
    from generate_series(1, 22) n returning id`;
  const ids = due.map(({ id }) => Number(id)).sort((a, b) => a - b);
  const claim = async () => (await claimUnfinished(service.db, null, 'removal', []))?.id;
  await service.sql.begin(async (transaction) => {
    const lock = (locked: number[]) =>
      transaction`select from cards where customer_id = ${customerId} and id in ${transaction(locked)} for update`;
    await lock(ids.slice(0, 1));
    expect(await claim()).toBe(ids[1]);
    await lock([...ids.slice(0, 1), ...ids.slice(2, 21)]);
    expect(await claim()).toBe(ids[21]);
    expect(await claim()).toBeUndefined();
  });
  await service.sql`delete from cards where customer_id = ${customerId}`;
});

test('claimUnfinished: counts each retry of the customer’s card, and triples the delay before the next', async () => {
  const [other, { id: customerId }] = [await newCustomer(service.db), await newCustomer(service.db)];
  for (const id of [other.id, customerId]) await claimCard(service.web, null, id, tokenHash('tok_due'));
  const claim = () => claimUnfinished(service.web, null, 'addition', [], customerId);
  expect(await claim()).toBeUndefined();
  for (let retries = 1; retries <= retriesMax; retries++) {
    await service.sql`update cards set updated_at = now() - interval '1 day' where customer_id = ${customerId}`;
    await leaseRunsOut(service);
    expect(await claim()).toMatchObject({ customerId, retries });
    const [row] = await service.sql`
      select extract(epoch from next_attempt_at - updated_at)::float8 as delay, lease_until > now() as is_leased
      from cards where customer_id = ${customerId}`;
    const jitter = row?.delay / (5 * 3 ** (retries - 1));
    expect([jitter > 0.749 && jitter < 1.251, row?.is_leased]).toEqual([true, true]);
  }
  await leaseRunsOut(service);
  expect(await claim()).toBeUndefined();
  await service.sql`delete from cards where customer_id in (${other.id}, ${customerId})`;
});

test.each([
  ['pending', 'addition', 'unavailable: taken_over'],
  ['removing', 'removal', null],
] as const)(
  'claimUnfinished: a %s card whose %s it takes over has %j as its last error',
  async (state, kind, lastError) => {
    const customer = await newCustomer(service.db);
    await newCards(service.owner, customer, 1);
    await service.sql`update cards set state = ${state} where customer_id = ${customer.id}`;
    await leaseRunsOut(service);
    expect(await claimUnfinished(service.web, null, kind, [], customer.id)).toMatchObject({ lastError });
    await service.sql`delete from cards where customer_id = ${customer.id}`;
  },
);

test('addCard: takes over the card of an instance that has died before its lease is over', async () => {
  const { id: customerId } = await newCustomer(service.db);
  const claim = () => claimCard(service.web, 1, customerId, tokenHash('tok_dead'));
  const claimed = await claim();
  expect(await claim()).toMatchObject({ id: claimed?.id, isNew: false });
  await service.sql`delete from cards where customer_id = ${customerId}`;
});

test('uncountRetry: makes a card due again with the retries that it had before', async () => {
  const { id: customerId } = await newCustomer(service.db);
  await claimCard(service.web, null, customerId, tokenHash('tok_denied'));
  await leaseRunsOut(service);
  const claimed = await claimUnfinished(service.web, null, 'addition', [], customerId);
  if (!claimed) throw new Error('The card is not due.');
  for (const time of ['once', 'twice']) {
    await uncountRetry(service.web, claimed);
    const rows = await service.sql`
      select retries, next_attempt_at <= now() as is_due from cards where customer_id = ${customerId}`;
    expect([...rows], time).toEqual([{ retries: 0, is_due: true }]);
  }
  await service.sql`delete from cards where customer_id = ${customerId}`;
});

test('a lease lasts 20 seconds', async () => {
  const { id } = await newCustomer(service.db);
  await claimCard(service.web, null, id, tokenHash('tok_leased'));
  const leases = await service.sql`
    select round(extract(epoch from lease_until - created_at))::int as seconds from cards where customer_id = ${id}`;
  expect([...leases]).toEqual([{ seconds: 20 }]);
  await service.sql`delete from cards where customer_id = ${id}`;
});
