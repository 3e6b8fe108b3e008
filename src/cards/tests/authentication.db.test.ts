import { beforeEach, describe, expect, it } from 'vitest';
import { refusalExample } from '#src/api/operations/card-refusals.ts';
import { services } from '#src/api/services.ts';
import { addCard } from '#src/cards/add-card.ts';
import { applyEvent } from '#src/cards/apply-event.ts';
import { cardsMax } from '#src/cards/card.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { sandboxKeys, testService } from '#tools/testing/api.ts';
import { newCards, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import {
  add,
  attachElsewhere,
  attachedAt,
  endChallenge,
  expectSettled,
  injectFault,
  leaseRunsOut,
  paymentMethodOf,
  providerCustomerOf,
  requestsTo,
  shownCards,
  statesOf,
} from './support.ts';

const service = await testService();
const ctx = services();
const token = 'tok_threeDSecure2Required';

beforeEach(async () => {
  await service.control('DELETE faults');
  await service.control('DELETE requests');
});

/** An addition whose bank waits for the cardholder. */
async function waiting(posted = token) {
  const customer = await newCustomer(service.db);
  const { status, json, setupIntentId } = await add(customer, posted);
  expect([status, json]).toMatchObject([200, { status: false, code: 'authentication_required', card: null }]);
  return { customer, secret: json.next_action?.client_secret ?? '', setupIntentId };
}

let events = 0;
const deliver = (type: string, objectId: string, id = `evt_setup_${events++}`) =>
  applyEvent(ctx, { id, type, objectId });

const aDayLater = () =>
  service.sql`
    update cards set next_attempt_at = (next_attempt_at at time zone 'utc' - interval '1 day') at time zone 'utc'
    where state = 'authenticating'`;

const rowOf = async ({ id }: TestCustomer) => {
  const [row] = await service.sql`select * from cards where customer_id = ${id}`;
  return row;
};

describe('addCard, 3-D Secure', () => {
  it('returns the same action for the same token without asking the bank again', async () => {
    const { customer, secret, setupIntentId } = await waiting();
    expect(secret).toMatch(/^seti_.+_secret_/);
    const again = await Promise.all([add(customer, token), add(customer, token), add(customer, token)]);
    for (const { json } of again)
      expect(json.next_action).toEqual({ type: 'authenticate', client_secret: secret });
    expect(await requestsTo(service, 'setupIntents.create')).toHaveLength(1);
    expect(await rowOf(customer)).toMatchObject({ state: 'authenticating', setup_intent_id: setupIntentId });
    expect(await shownCards(customer)).toEqual([]);
  });

  it('adds the card once when the token is posted after the authentication', async () => {
    const { customer, setupIntentId } = await waiting();
    await endChallenge(service, setupIntentId);
    const posts = await Promise.all([add(customer, token), add(customer, token)]);
    const [first, second] = posts.map(({ json }) => json);
    expect(first).toMatchObject({ status: true, card: { last4: '3220' } });
    expect(second).toEqual(first);
    expect(await expectSettled(service, customer)).toBe(1);
    const audited = await service.sql`
      select action from audit_entries where customer_id = ${customer.id} and action = 'card.added'`;
    expect(audited).toHaveLength(1);
  });

  it('does not store the response for the Idempotency-Key until it is final', async () => {
    const customer = await newCustomer(service.db);
    const key = { 'Idempotency-Key': 'authenticates' };
    const { json, setupIntentId } = await add(customer, token, key);
    const again = await add(customer, token, key);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(again.json).toEqual(json);
    await endChallenge(service, setupIntentId);
    const added = await add(customer, token, key);
    expect(added.json).toMatchObject({ status: true });
    const replayed = await add(customer, token, key);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.text).toBe(added.text);
  });

  it.each([
    ['rejected', 'authentication_failed'],
    ['canceled', 'authentication_canceled'],
    ['abandoned', 'authentication_abandoned'],
  ] as const)('fails for good when the authentication was %s, and says so', async (result, reason) => {
    const { customer, setupIntentId } = await waiting();
    await endChallenge(service, setupIntentId, result);
    for (const _ of [1, 2]) {
      const { json } = await add(customer, token);
      expect(json).toEqual(refusalExample(reason));
      expect(json.code).toBe('authentication_failed');
    }
    expect(await expectSettled(service, customer)).toBe(0);
  });

  it('fails with the decline of a bank that authenticated the cardholder', async () => {
    const { customer, setupIntentId } = await waiting('tok_threeDSecureRequiredChargeDeclined');
    await endChallenge(service, setupIntentId);
    const { json } = await add(customer, 'tok_threeDSecureRequiredChargeDeclined');
    expect(json).toMatchObject({ status: false, code: 'card_declined' });
    expect(await expectSettled(service, customer)).toBe(0);
  });

  it('fails when the setup intent was canceled', async () => {
    const { customer, setupIntentId } = await waiting();
    await ctx.provider.cancelSetup(setupIntentId);
    const { json } = await add(customer, token);
    expect(json).toEqual(refusalExample('authentication_expired'));
    expect(await expectSettled(service, customer)).toBe(0);
  });

  it('goes on when the account does not have the setup intent, because the key may be that of another account', async () => {
    const { customer, setupIntentId } = await waiting();
    await service.sql`update cards set setup_intent_id = 'seti_other' where customer_id = ${customer.id}`;
    expect((await add(customer, token)).status).toBe(503);
    await aDayLater();
    await completeCards(ctx);
    expect(await rowOf(customer)).toMatchObject({
      state: 'authenticating',
      last_error: 'denied: setup_unknown',
    });
    await service.sql`update cards set setup_intent_id = ${setupIntentId} where customer_id = ${customer.id}`;
    await endChallenge(service, setupIntentId);
    expect((await add(customer, token)).json.status).toBe(true);
  });

  it('returns 424 while the provider does not say, and then goes on', async () => {
    const { customer, setupIntentId } = await waiting();
    await endChallenge(service, setupIntentId);
    await injectFault(service, 'setupIntents.retrieve', '500');
    expect((await add(customer, token)).status).toBe(424);
    expect(await statesOf(service, customer)).toEqual(['authenticating']);
    await service.control('DELETE faults');
    expect((await add(customer, token)).json).toMatchObject({ status: true });
    expect(await requestsTo(service, 'setupIntents.create')).toHaveLength(1);
  });

  it('continues from the current state after the first response was lost', async () => {
    const customer = await newCustomer(service.db);
    await injectFault(service, 'setupIntents.create', 'drop_after_commit');
    expect((await add(customer, token)).status).toBe(424);
    await service.control('DELETE faults');
    const { json } = await add(customer, token);
    expect(json.code).toBe('authentication_required');
    expect(await requestsTo(service, 'setupIntents.retrieve')).toHaveLength(1);
    const [intent] = (await service.control('GET setup_intents')).data;
    expect(json.next_action?.client_secret).toBe(intent?.client_secret);
  });

  it('does not make the card active when it was detached or its customer deleted meanwhile', async () => {
    const detached = await waiting();
    await endChallenge(service, detached.setupIntentId);
    const [paymentMethodId] = await attachedAt(service, detached.customer);
    await service.control(`POST payment_methods/${paymentMethodId}/detach`);
    expect((await add(detached.customer, token)).status).toBe(400);

    const deleted = await waiting();
    await endChallenge(service, deleted.setupIntentId);
    await service.control(`DELETE customers/${await providerCustomerOf(service, deleted.customer)}`);
    expect((await add(deleted.customer, token)).status).toBe(400);

    for (const { customer } of [detached, deleted])
      expect(await rowOf(customer)).toMatchObject({ state: 'failed', failure_code: 'token_invalid' });
  });

  it.each([
    ['payment_method.detached', 'the token is posted again'],
    ['payment_method.detached', 'the event of the authentication is handled'],
    ['customer.deleted', 'the token is posted again'],
    ['customer.deleted', 'the event of the authentication is handled'],
  ])('does not make the card active after %s while %s', async (type, meanwhile) => {
    const { customer, setupIntentId } = await waiting();
    await endChallenge(service, setupIntentId);
    const findCard: typeof ctx.provider.findCard = async (paymentMethodId) => {
      const found = await ctx.provider.findCard(paymentMethodId);
      if (!found?.attachedTo) return found;
      if (type === 'customer.deleted') await service.control(`DELETE customers/${found.attachedTo}`);
      else await service.control(`POST payment_methods/${paymentMethodId}/detach`);
      await deliver(type, type === 'customer.deleted' ? found.attachedTo : paymentMethodId);
      return found;
    };
    const during = { ...ctx, provider: { ...ctx.provider, findCard } };
    if (meanwhile === 'the token is posted again') {
      const again = addCard(during, { customerId: customer.id, token, card: {} });
      await expect(again).rejects.toMatchObject({ code: 'token_invalid' });
    } else {
      const event = { id: `evt_during_${type}`, type: 'setup_intent.succeeded', objectId: setupIntentId };
      await applyEvent(during, event);
    }
    expect(await rowOf(customer)).toMatchObject({ state: 'failed', failure_code: 'token_invalid' });
    expect(await expectSettled(service, customer)).toBe(0);
  });

  it('cancels the setup intent of a card that is detached while its bank waits', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_visa');
    const method = await paymentMethodOf(service, token);
    await attachElsewhere(service, customer, method);
    const { setupIntentId } = await add(customer, method);
    await service.control(`POST payment_methods/${method}/detach`);
    await deliver('payment_method.detached', method);
    await completeCards(ctx);
    expect(await ctx.provider.findSetup(setupIntentId)).toEqual({ status: 'canceled' });
    expect(await statesOf(service, customer)).toEqual(['active', 'failed']);
  });

  it('refuses a card that fills the account while its bank waits, and detaches it', async () => {
    const { customer, setupIntentId } = await waiting();
    await newCards(service.owner, customer, cardsMax);
    await endChallenge(service, setupIntentId);
    expect((await add(customer, token)).json).toMatchObject({ status: false, code: 'card_limit_reached' });
    expect(await attachedAt(service, customer)).toEqual([]);
  });
});

describe('addCard, 3-D Secure that failed', () => {
  /** Needs only the client secret. */
  const confirm = async (secret: string, paymentMethod: string) => {
    const id = secret.split('_secret_')[0];
    const response = await fetch(`${service.sandbox.origin}/v1/setup_intents/${id}/confirm`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${sandboxKeys.publishableKey}` },
      body: new URLSearchParams({ client_secret: secret, payment_method: paymentMethod }),
    });
    return response.status;
  };

  it('cancels the setup intent, so that it cannot be confirmed with another card', async () => {
    const { customer, secret, setupIntentId } = await waiting();
    await endChallenge(service, setupIntentId, 'rejected');
    expect((await add(customer, token)).json.code).toBe('authentication_failed');
    expect(await confirm(secret, await paymentMethodOf(service, 'tok_visa'))).toBe(400);
    expect(await expectSettled(service, customer)).toBe(0);
  });

  it('cancels it later, before the end of the addition, when the provider fails', async () => {
    const { customer, secret, setupIntentId } = await waiting();
    await endChallenge(service, setupIntentId, 'rejected');
    await injectFault(service, 'setupIntents.cancel', '500');
    expect((await add(customer, token)).json.code).toBe('authentication_failed');
    expect(await statesOf(service, customer)).toEqual(['removing']);
    await service.control('DELETE faults');
    // Confirmed in between.
    expect(await confirm(secret, await paymentMethodOf(service, 'tok_visa'))).toBe(200);
    expect(await attachedAt(service, customer)).toHaveLength(1);
    await leaseRunsOut(service);
    await completeCards(ctx);
    expect(await statesOf(service, customer)).toEqual(['failed']);
    expect(await expectSettled(service, customer)).toBe(0);
  });

  it('detaches another card that was confirmed instead, but no card on file', async () => {
    const other = await waiting();
    await endChallenge(service, other.setupIntentId, 'rejected');
    expect(await confirm(other.secret, await paymentMethodOf(service, 'tok_visa'))).toBe(200);
    const [otherMethod] = await attachedAt(service, other.customer);
    expect((await add(other.customer, token)).json.code).toBe('authentication_failed');
    expect(await expectSettled(service, other.customer)).toBe(0);
    // A card's own key is for its own payment method.
    const key = `det:${(await rowOf(other.customer))?.uuid}:${otherMethod}`;
    const headers = expect.objectContaining({ 'idempotency-key': key });
    expect(await requestsTo(service, 'paymentMethods.detach')).toContainEqual(
      expect.objectContaining({ headers }),
    );

    const onFile = await waiting();
    expect((await add(onFile.customer, 'tok_visa')).json.status).toBe(true);
    const [paymentMethodId = ''] = await attachedAt(service, onFile.customer);
    await endChallenge(service, onFile.setupIntentId, 'rejected');
    expect(await confirm(onFile.secret, paymentMethodId)).toBe(200);
    expect((await add(onFile.customer, token)).json.code).toBe('authentication_failed');
    expect(await expectSettled(service, onFile.customer)).toBe(1);
  });
});

describe('stripeWebhook, 3-D Secure', () => {
  it('setup_intent.succeeded adds the card, also twice and before the token is posted again', async () => {
    const { customer, setupIntentId } = await waiting();
    await endChallenge(service, setupIntentId);
    const event = () => deliver('setup_intent.succeeded', setupIntentId, 'evt_twice');
    await Promise.all([event(), event(), add(customer, token)]);
    await event();
    expect(await shownCards(customer)).toHaveLength(1);
    expect((await add(customer, token)).json).toMatchObject({ status: true });
    expect(await expectSettled(service, customer)).toBe(1);
  });

  it('setup_intent.canceled ends the addition', async () => {
    const { customer, setupIntentId } = await waiting();
    await ctx.provider.cancelSetup(setupIntentId);
    await deliver('setup_intent.canceled', setupIntentId);
    expect(await statesOf(service, customer)).toEqual(['failed']);
    expect((await add(customer, token)).json).toEqual(refusalExample('authentication_expired'));
    expect(await expectSettled(service, customer)).toBe(0);
  });

  it('setup_intent.setup_failed ends the addition, and a late event changes nothing', async () => {
    const { customer, setupIntentId } = await waiting();
    await endChallenge(service, setupIntentId, 'rejected');
    await deliver('setup_intent.setup_failed', setupIntentId);
    expect(await statesOf(service, customer)).toEqual(['failed']);
    await deliver('setup_intent.succeeded', setupIntentId);
    expect(await expectSettled(service, customer)).toBe(0);
    expect((await add(customer, token)).json.code).toBe('authentication_failed');
  });

  it('an event that is older than the current state changes nothing', async () => {
    const { customer, setupIntentId } = await waiting();
    await deliver('setup_intent.setup_failed', setupIntentId);
    expect(await statesOf(service, customer)).toEqual(['authenticating']);
    await endChallenge(service, setupIntentId);
    await deliver('setup_intent.setup_failed', setupIntentId);
    expect(await shownCards(customer)).toHaveLength(1);
  });

  it('is delivered again while the provider cannot confirm the event', async () => {
    const { customer, setupIntentId } = await waiting();
    await endChallenge(service, setupIntentId);
    await injectFault(service, 'setupIntents.retrieve', '500');
    const event = () => deliver('setup_intent.succeeded', setupIntentId, 'evt_unconfirmed');
    await expect(event()).rejects.toMatchObject({ kind: 'unavailable' });
    await service.control('DELETE faults');
    await event();
    expect(await shownCards(customer)).toHaveLength(1);
  });
});

describe('completeCards, 3-D Secure', () => {
  it('leaves a waiting card alone for 24 hours, then cancels its setup intent', async () => {
    const { customer, setupIntentId } = await waiting();
    await service.sql`
      update cards set next_attempt_at = (next_attempt_at at time zone 'utc' - interval '23 hours 59 minutes') at time zone 'utc'
      where state = 'authenticating'`;
    await service.control('DELETE requests');
    await completeCards(ctx);
    expect((await service.control('GET requests')).data).toEqual([]);
    await aDayLater();
    await completeCards(ctx);
    expect(await rowOf(customer)).toMatchObject({ state: 'failed', failure_code: 'authentication_expired' });
    const [intent] = (await service.control('GET setup_intents')).data.filter(
      ({ id }) => id === setupIntentId,
    );
    expect(intent).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' });
    expect((await add(customer, token)).json).toMatchObject({ code: 'authentication_expired' });
  });

  it('adds a card that was authenticated although no event came', async () => {
    const { customer, setupIntentId } = await waiting();
    await endChallenge(service, setupIntentId);
    await aDayLater();
    await completeCards(ctx);
    expect(await expectSettled(service, customer)).toBe(1);
  });

  it('ends it later when the provider fails', async () => {
    const { customer } = await waiting();
    await aDayLater();
    await injectFault(service, 'setupIntents.cancel', '500');
    await completeCards(ctx);
    expect(await rowOf(customer)).toMatchObject({
      state: 'authenticating',
      retries: 1,
      lease_until: null,
      last_error: 'unavailable: provider_failed',
    });
    await service.control('DELETE faults');
    await service.sql`update cards set next_attempt_at = now() where state = 'authenticating'`;
    await completeCards(ctx);
    expect(await statesOf(service, customer)).toEqual(['failed']);
  });

  it('takes a card whose worker was lost to the cardholder, without asking the bank again', async () => {
    const customer = await newCustomer(service.db);
    await injectFault(service, 'setupIntents.create', 'drop_after_commit');
    expect((await add(customer, token)).status).toBe(424);
    await service.control('DELETE faults');
    await leaseRunsOut(service);
    await completeCards(ctx);
    expect(await statesOf(service, customer)).toEqual(['authenticating']);
    const [intent, ...others] = (await service.control('GET setup_intents')).data;
    expect(others.filter(({ customer: owner }) => owner === intent?.customer)).toEqual([]);
    expect((await add(customer, token)).json.next_action?.client_secret).toBe(intent?.client_secret);
  });
});
