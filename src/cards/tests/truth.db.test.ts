import { describe, expect, it } from 'vitest';
import { services } from '#src/api/services.ts';
import { addCard } from '#src/cards/add-card.ts';
import { claimCard, updateAddition } from '#src/cards/addition-queries.ts';
import { applyEvent } from '#src/cards/apply-event.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { retriesMax } from '#src/cards/lease-queries.ts';
import { findCards, isStuck } from '#src/cards/list-cards.ts';
import { tokenHash } from '#src/tokens.ts';
import { testService } from '#tools/testing/api.ts';
import { waitingForLock } from '#tools/testing/database.ts';
import { newCards, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import {
  add,
  attachedAt,
  expectSettled,
  injectFault,
  intentsOf,
  leaseRunsOut,
  paymentMethodOf,
  providerCustomerOf,
  shownCards,
  statesOf,
  tokenOf,
} from './support.ts';

const service = await testService();
const ctx = services();

let events = 0;
/** Handles an event as if the provider had sent it. */
function deliver(type: string, objectId: string) {
  events += 1;
  return applyEvent(ctx, { id: `evt_truth_${events}`, type, objectId });
}

/** Adds a card that is attached, but whose response is lost. */
async function lostAddition() {
  const customer = await newCustomer(service.db);
  const token = await tokenOf(service);
  await injectFault(service, 'setupIntents.create', 'drop_after_commit');
  expect((await add(customer, token)).status).toBe(424);
  const [paymentMethodId = ''] = await attachedAt(service, customer);
  return {
    customer,
    token,
    paymentMethodId,
    providerCustomerId: await providerCustomerOf(service, customer),
  };
}

async function expectNoCard(customer: TestCustomer, token: string): Promise<void> {
  expect(await shownCards(customer)).toEqual([]);
  expect((await add(customer, token)).status).toBe(400);
  expect((await add(customer, 'tok_visa')).json).toMatchObject({ status: true });
  expect(await expectSettled(service, customer)).toBe(1);
}

async function resume(by: string, customer: TestCustomer, token: string): Promise<void> {
  await leaseRunsOut(service);
  if (by === 'the completer') await completeCards(ctx);
  else expect((await add(customer, token)).status).toBe(400);
}

describe.each(['the completer', 'a retry'])('addCard resumed by %s', (by) => {
  it.each([true, false])(
    'does not activate a card that was detached meanwhile, event delivered: %s',
    async (isDelivered) => {
      const { customer, token, paymentMethodId } = await lostAddition();
      await service.control(`POST payment_methods/${paymentMethodId}/detach`);
      if (isDelivered) await deliver('payment_method.detached', paymentMethodId);
      await resume(by, customer, token);
      await expectNoCard(customer, token);
    },
  );

  it.each([true, false])(
    'does not activate a card whose provider customer was deleted meanwhile, event delivered: %s',
    async (isDelivered) => {
      const { customer, token, providerCustomerId } = await lostAddition();
      await service.control(`DELETE customers/${providerCustomerId}`);
      if (isDelivered) await deliver('customer.deleted', providerCustomerId);
      await resume(by, customer, token);
      await expectNoCard(customer, token);
    },
  );

  it('asks the bank once when the card is still attached', async () => {
    const { customer, token } = await lostAddition();
    await leaseRunsOut(service);
    if (by === 'the completer') await completeCards(ctx);
    expect((await add(customer, token)).json).toMatchObject({ status: true });
    expect(await intentsOf(service, customer)).toBe(1);
    expect(await expectSettled(service, customer)).toBe(1);
  });
});

describe('addCard, provider event between the provider call and the activation', () => {
  it.each(['payment_method.detached', 'customer.deleted'])(
    'does not activate a card after %s',
    async (type) => {
      const customer = await newCustomer(service.db);
      const token = await tokenOf(service);
      const saveCard: typeof ctx.provider.saveCard = async (input) => {
        const saved = await ctx.provider.saveCard(input);
        const { paymentMethodId, providerCustomerId } = input;
        if (type === 'customer.deleted') await service.control(`DELETE customers/${providerCustomerId}`);
        else await service.control(`POST payment_methods/${paymentMethodId}/detach`);
        await deliver(type, type === 'customer.deleted' ? providerCustomerId : paymentMethodId);
        return saved;
      };
      const during = { ...ctx, provider: { ...ctx.provider, saveCard } };
      const input = { customerId: customer.id, token, card: {} };
      await expect(addCard(during, input)).rejects.toMatchObject({ code: 'token_invalid' });
      await expectNoCard(customer, token);
    },
  );
});

describe('addCard, provider customer', () => {
  it('removes the card of a deleted customer that becomes active while the event is handled', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_mastercard');
    const providerCustomerId = await providerCustomerOf(service, customer);
    const claimed = await claimCard(service.web, null, customer.id, tokenHash('activated'));
    if (!claimed) throw new Error('The card is not claimed.');
    const method = { paymentMethodId: 'pm_activated', fingerprint: 'activated', expMonth: 1, expYear: 2065 };
    await updateAddition(service.web, claimed, method);
    const activation = await service.sql.reserve();
    await activation`begin`;
    await activation`select * from activate_card(${customer.id}, ${claimed.id}, ${providerCustomerId}, null, 20, now())`;
    const handled = deliver('customer.deleted', providerCustomerId);
    await expect.poll(() => waitingForLock(service.sql)).toHaveLength(1);
    await activation`commit`;
    activation.release();
    await handled;
    expect(await statesOf(service, customer)).toEqual(['removed', 'removed']);
  });

  it('removes the cards of a deleted customer once an addition finds it missing, and no others', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_visa');
    const deleted = await providerCustomerOf(service, customer);
    await service.control(`DELETE customers/${deleted}`);
    expect((await add(customer, 'tok_mastercard')).json).toMatchObject({ status: true });
    expect(await expectSettled(service, customer)).toBe(1);
    await deliver('customer.deleted', deleted);
    expect((await shownCards(customer)).map(({ brand }) => brand)).toEqual(['mastercard']);
    expect((await add(customer, 'tok_visa')).json).toMatchObject({ status: true });
    expect(await expectSettled(service, customer)).toBe(2);
    expect(await statesOf(service, customer)).toEqual(['active', 'active', 'removed']);
  });

  it('keeps the cards of a customer that the provider has never known, as with keys of another account', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_visa');
    const elsewhere = `cus_elsewhere${customer.id}`;
    await service.sql`update customers set provider_customer_id = ${elsewhere} where id = ${customer.id}`;
    await service.sql`update cards set provider_customer_id = ${elsewhere} where customer_id = ${customer.id}`;
    expect((await add(customer, 'tok_mastercard')).status).toBe(503);
    expect(await providerCustomerOf(service, customer)).toBe(elsewhere);
    expect(await statesOf(service, customer)).toEqual(['active', 'pending']);
    await leaseRunsOut(service);
    const other = await newCustomer(service.db);
    await injectFault(service, 'setupIntents.create', '429');
    expect((await add(other, 'tok_visa')).status).toBe(424);
    await service.control('DELETE faults');
    for (let round = 0; round < retriesMax; round++) {
      await leaseRunsOut(service);
      await completeCards(ctx);
    }
    expect(await statesOf(service, customer)).toEqual(['active', 'pending']);
    expect(await expectSettled(service, other)).toBe(1);
    const stuck = (await findCards(service.db, isStuck)).map(({ card }) => card.customerId);
    expect(stuck).toContain(customer.id);
    // What docs/operations.md tells the operator to do if the keys are right.
    await service.sql`update customers set provider_customer_id = null where id = ${customer.id}`;
    expect((await add(customer, 'tok_mastercard')).json).toMatchObject({ status: true });
  });

  it('keeps a card on an event that the account of the keys cannot have sent', async () => {
    const customer = await newCustomer(service.db);
    await newCards(service.owner, customer, 1);
    const elsewhere = `cus_elsewhere${customer.id}`;
    await service.sql`update cards set provider_customer_id = ${elsewhere} where customer_id = ${customer.id}`;
    const updated = deliver('payment_method.automatically_updated', `pm_of_${customer.id}-0`);
    await expect(updated).rejects.toMatchObject({ kind: 'denied', reason: 'customer_unknown' });
    expect(await statesOf(service, customer)).toEqual(['active']);
  });

  it.each(['detached', 'customer deleted'])(
    'adds a card again that the provider dropped without an event: %s',
    async (how) => {
      const customer = await newCustomer(service.db);
      await add(customer, 'tok_visa');
      const [paymentMethodId = ''] = await attachedAt(service, customer);
      if (how === 'detached') await service.control(`POST payment_methods/${paymentMethodId}/detach`);
      else await service.control(`DELETE customers/${await providerCustomerOf(service, customer)}`);
      const token = await tokenOf(service);
      await service.sql`
      update cards set exp_month = 12, exp_year = 2064 where customer_id = ${customer.id}`;
      expect((await add(customer, token)).json).toMatchObject({ status: true });
      expect(await expectSettled(service, customer)).toBe(1);
      expect(await statesOf(service, customer)).toEqual(['active', 'removed']);
    },
  );

  it('adds a card although every earlier provider customer was deleted', async () => {
    const customer = await newCustomer(service.db);
    for (const token of ['tok_visa', 'tok_mastercard', 'tok_amex', 'tok_discover']) {
      expect((await add(customer, token)).json).toMatchObject({ status: true });
      await service.control(`DELETE customers/${await providerCustomerOf(service, customer)}`);
    }
    expect((await add(customer, 'tok_jcb')).json).toMatchObject({ status: true });
    expect(await expectSettled(service, customer)).toBe(1);
  });
});

describe('provider event', () => {
  const update = (paymentMethodId: string, values: object) =>
    service.control(`POST payment_methods/${paymentMethodId}/update`, values);

  it('the newer one of two concurrent updates wins', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_visa');
    const [paymentMethodId = ''] = await attachedAt(service, customer);
    await update(paymentMethodId, { exp_year: 2066 });
    let reads = 0;
    const findCard: typeof ctx.provider.findCard = async (id) => {
      const truth = await ctx.provider.findCard(id);
      reads += 1;
      if (reads === 1) {
        await update(paymentMethodId, { exp_year: 2069 });
        await deliver('payment_method.updated', paymentMethodId);
      }
      return truth;
    };
    const event = {
      id: 'evt_truth_late',
      type: 'payment_method.updated',
      objectId: paymentMethodId,
    };
    await applyEvent({ ...ctx, provider: { ...ctx.provider, findCard } }, event);
    expect(await shownCards(customer)).toMatchObject([{ expYear: '2069' }]);
    expect(reads).toBe(2);
  });

  it('of a payment method that is no card here, such as one of a checkout page, sends the provider no request', async () => {
    const method = await paymentMethodOf(service, 'tok_visa');
    await service.control('DELETE requests');
    for (const type of ['payment_method.updated', 'payment_method.detached']) await deliver(type, method);
    expect((await service.control('GET requests')).data).toEqual([]);
  });

  it.each(['active', 'pending'])(
    'ends a card that is %s and changes while the provider is asked',
    async (state) => {
      const { customer, token, paymentMethodId } = await lostAddition();
      await service.control('DELETE faults');
      if (state === 'active') expect((await add(customer, token)).json).toMatchObject({ status: true });
      await service.control(`POST payment_methods/${paymentMethodId}/detach`);
      let reads = 0;
      const findCard: typeof ctx.provider.findCard = async (id) => {
        reads += 1;
        if (reads === 1)
          await service.sql`update cards set brand = 'other' where customer_id = ${customer.id}`;
        return ctx.provider.findCard(id);
      };
      const event = { id: `evt_truth_${state}`, type: 'payment_method.detached', objectId: paymentMethodId };
      await applyEvent({ ...ctx, provider: { ...ctx.provider, findCard } }, event);
      const ended = state === 'active' ? ['removed', null] : ['failed', 'token_invalid'];
      const rows =
        await service.sql`select state, failure_code from cards where customer_id = ${customer.id}`;
      expect(rows.map((row) => [row.state, row.failure_code])).toEqual([ended]);
      expect(reads).toBe(2);
    },
  );

  it('removes a card that the provider does not have', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_visa');
    const unknown = `pm_unknown${customer.id}`;
    await service.sql`update cards set payment_method_id = ${unknown} where customer_id = ${customer.id}`;
    await deliver('payment_method.detached', unknown);
    expect(await statesOf(service, customer)).toEqual(['removed']);
  });

  it('an update takes over the address that the provider has', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_visa', {}, { addressCountry: 'CA', addressZip: 'K1A 0B1' });
    const [paymentMethodId = ''] = await attachedAt(service, customer);
    const address = { addressCountry: 'US', addressZip: '94107' };
    const findCard: typeof ctx.provider.findCard = async (id) => {
      const truth = await ctx.provider.findCard(id);
      return truth && { ...truth, ...address };
    };
    const event = { id: 'evt_truth_address', type: 'payment_method.updated', objectId: paymentMethodId };
    await applyEvent({ ...ctx, provider: { ...ctx.provider, findCard } }, event);
    expect(await shownCards(customer)).toMatchObject([address]);
  });

  it('an update of a card that is not attached yet leaves its addition pending', async () => {
    const customer = await newCustomer(service.db);
    await injectFault(service, 'setupIntents.create', '429');
    expect((await add(customer, 'tok_visa')).status).toBe(424);
    await service.control('DELETE faults');
    const [row] =
      await service.sql`select payment_method_id as id from cards where customer_id = ${customer.id}`;
    await deliver('payment_method.updated', row?.id);
    expect(await statesOf(service, customer)).toEqual(['pending']);
    expect((await add(customer, 'tok_visa')).json).toMatchObject({ status: true });
  });

  it('an automatic update to the number of another card detaches the older card', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, await tokenOf(service));
    const [renewed = ''] = await attachedAt(service, customer);
    const byHand = await add(customer, await tokenOf(service, '5555555555554444'));
    await update(renewed, { number: '5555555555554444' });
    for (const _ of [1, 2]) await deliver('payment_method.automatically_updated', renewed);
    expect((await shownCards(customer)).map(({ uuid }) => uuid)).toEqual([byHand.json.card?.uuid]);
    expect(await attachedAt(service, customer)).not.toContain(renewed);
    expect(await statesOf(service, customer)).toEqual(['active', 'removed']);
    expect(await expectSettled(service, customer)).toBe(1);
    const audited = await service.sql`
      select actor, action from audit_entries where customer_id = ${customer.id} and action like 'card.%' order by id desc limit 1`;
    expect(audited).toMatchObject([{ actor: 'provider', action: 'card.removed' }]);
  });

  it('an automatic update of the newer card to the number of an older one keeps the newer card', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, await tokenOf(service, '5555555555554444'));
    const newer = await add(customer, await tokenOf(service));
    const [paymentMethodId = ''] = await attachedAt(service, customer);
    await update(paymentMethodId, { number: '5555555555554444' });
    await deliver('payment_method.automatically_updated', paymentMethodId);
    expect(await shownCards(customer)).toMatchObject([
      { uuid: newer.json.card?.uuid, brand: 'mastercard', last4: '4444' },
    ]);
    expect(await attachedAt(service, customer)).toEqual([paymentMethodId]);
    expect(await expectSettled(service, customer)).toBe(1);
  });

  it('one card remains after two concurrent updates to the same number', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, await tokenOf(service, '5555555555554444'));
    await add(customer, await tokenOf(service));
    const methods = await attachedAt(service, customer);
    for (const paymentMethodId of methods) await update(paymentMethodId, { number: '378282246310005' });
    await Promise.all(
      methods.map((paymentMethodId) => deliver('payment_method.automatically_updated', paymentMethodId)),
    );
    expect(await expectSettled(service, customer)).toBe(1);
  });
});
