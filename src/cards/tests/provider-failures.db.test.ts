import { describe, expect, it, vi } from 'vitest';
import { DatabaseBusyError } from '#db/errors.ts';
import { services } from '#src/api/services.ts';
import { addCard } from '#src/cards/add-card.ts';
import { claimCard, updateAddition } from '#src/cards/addition-queries.ts';
import { bankRequestsMax } from '#src/cards/card.ts';
import { findCard } from '#src/cards/card-queries.ts';
import { failCard } from '#src/cards/finish-card.ts';
import { retriesMax } from '#src/cards/lease-queries.ts';
import { removeCard } from '#src/cards/remove-card.ts';
import { type CardProvider, ProviderError } from '#src/payments/provider.ts';
import { tokenHash } from '#src/tokens.ts';
import { testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { add, attachedAt, paymentMethodOf, requestsTo, statesOf, tokenOf } from './support.ts';

const service = await testService();
const ctx = services();

/** Adds a card with a provider whose other calls are the sandbox's. @returns the outcome or what was thrown, and the row */
async function addWith(changes: Partial<CardProvider>) {
  const { id } = await newCustomer(service.db);
  const input = { customerId: id, token: 'tok_visa', card: {} };
  const provider = { ...ctx.provider, ...changes };
  const outcome = await addCard({ ...ctx, provider }, input).catch((error) => error);
  const [row] = await service.sql`
    select state, failure_code, attempt, lease_until is not null as is_leased, last_error, payment_method_id
    from cards where customer_id = ${id}`;
  return { outcome, row };
}

const failing = (error: Error) => addWith({ saveCard: () => Promise.reject(error) });

describe('addCard, failure of the provider', () => {
  it.each([
    ['card', 'lost_card', { status: 'refused', failure: 'card_declined' }, 'lost_card'],
    ['token', 'used', { code: 'token_invalid', details: [] }, 'token_invalid'],
    ['misuse', 'parameter_missing', { kind: 'misuse', reason: 'parameter_missing' }, 'provider_refused'],
  ] as const)('fails after %s: %s', async (kind, reason, outcome, failure_code) => {
    const failed = await failing(new ProviderError(kind, reason, true));
    expect(failed.outcome).toMatchObject(outcome);
    expect(failed.row).toMatchObject({ state: 'failed', failure_code, is_leased: false });
  });

  it.each([
    ['unavailable', 'not_reached', false, 'provider_unavailable'],
    ['unavailable', 'provider_failed', true, 'provider_unavailable'],
    ['unavailable', 'in_flight', false, 'card_in_flight'],
  ] as const)('can be repeated after %s: %s', async (kind, reason, isStored, code) => {
    const cause = new ProviderError(kind, reason, isStored);
    const failed = await failing(cause);
    expect(failed.outcome).toMatchObject({ code, details: [], cause });
    expect(failed.row).toMatchObject({
      state: 'pending',
      failure_code: null,
      attempt: isStored ? 1 : 0,
      is_leased: false,
      last_error: `${kind}: ${reason}`,
    });
  });

  it('goes on with a new idempotency key after one was used for another request, up to ten', async () => {
    const keys: string[] = [];
    const usedBefore = (times: number): CardProvider['saveCard'] => {
      return async (input) => {
        if (keys.push(input.idempotencyKey) > times) return ctx.provider.saveCard(input);
        throw new ProviderError('unavailable', 'key_reused', true);
      };
    };
    const added = await addWith({ saveCard: usedBefore(1) });
    expect(added.outcome).toMatchObject({ status: 'added' });
    expect(added.row).toMatchObject({ state: 'active', attempt: 1 });
    expect(keys).toEqual([keys[0], `${keys[0]}:1`]);

    keys.length = 0;
    const failed = await addWith({ saveCard: usedBefore(bankRequestsMax) });
    expect(failed.outcome).toMatchObject({ status: 'refused', failure: 'processing_error' });
    expect(failed.row).toMatchObject({ state: 'failed', failure_code: 'provider_failed' });
    expect(new Set(keys).size).toBe(bankRequestsMax);
    expect(keys).toHaveLength(bankRequestsMax);
  });

  it('does not ask the bank again when the card is attached although its key was used for another request', async () => {
    const checks: string[] = [];
    const saveCard: CardProvider['saveCard'] = async (input) => {
      checks.push(input.idempotencyKey);
      await ctx.provider.saveCard(input);
      throw new ProviderError('unavailable', 'key_reused', true);
    };
    const added = await addWith({ saveCard });
    expect(added.outcome).toMatchObject({ status: 'added' });
    expect(checks).toHaveLength(1);
  });

  it('does not ask the bank again when the token is posted again after the provider failed with the card attached', async () => {
    const { id: customerId } = await newCustomer(service.db);
    const saveCard = vi.fn<CardProvider['saveCard']>(async (input) => {
      await ctx.provider.saveCard(input);
      throw new ProviderError('unavailable', 'provider_failed', true);
    });
    const attaching = { ...ctx, provider: { ...ctx.provider, saveCard } };
    const post = () => addCard(attaching, { customerId, token: 'tok_visa', card: {} });
    await expect(post()).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(await post()).toMatchObject({ status: 'added' });
    expect(saveCard).toHaveBeenCalledOnce();
  });

  it('sends idempotency keys of the step and the UUID of the card', async () => {
    const { id } = await newCustomer(service.db);
    const keys: string[] = [];
    const provider: CardProvider = {
      ...ctx.provider,
      cardOfToken: (token, key) => {
        keys.push(key);
        return ctx.provider.cardOfToken(token, key);
      },
      saveCard: (input) => {
        keys.push(input.idempotencyKey);
        return ctx.provider.saveCard(input);
      },
    };
    await addCard({ ...ctx, provider }, { customerId: id, token: 'tok_visa', card: {} });
    const [row] = await service.sql`select uuid from cards where customer_id = ${id}`;
    expect(keys).toEqual([`pm:${row?.uuid}`, `si:${row?.uuid}`]);
  });

  it('makes one customer at the provider for all cards of a customer', async () => {
    const { id: customerId } = await newCustomer(service.db);
    const createCustomer = vi.fn(ctx.provider.createCustomer);
    const counting = { ...ctx, provider: { ...ctx.provider, createCustomer } };
    for (const token of ['tok_visa', 'tok_mastercard'])
      expect(await addCard(counting, { customerId, token, card: {} })).toMatchObject({ status: 'added' });
    expect(createCustomer).toHaveBeenCalledOnce();
  });

  it('returns 400 for a card that was removed by another request while the card that it replaces is detached', async () => {
    const { id: customerId } = await newCustomer(service.db);
    await addCard(ctx, { customerId, token: await tokenOf(service, '4242424242424242', 2060), card: {} });
    const detachCard: CardProvider['detachCard'] = async (...input) => {
      await ctx.provider.detachCard(...input);
      const [added] =
        await service.sql`select uuid from cards where customer_id = ${customerId} and state = 'active'`;
      await removeCard(ctx, { customerId, selector: String(added?.uuid), idempotencyKey: null });
    };
    const replacing = { ...ctx, provider: { ...ctx.provider, detachCard } };
    const token = await tokenOf(service, '4242424242424242', 2065);
    const outcome = addCard(replacing, { customerId, token, card: {} });
    await expect(outcome).rejects.toMatchObject({ code: 'token_invalid' });
  });

  it('returns 400 for a card that was detached since an earlier request had attached it', async () => {
    const saveCard: CardProvider['saveCard'] = async (input) => {
      const saved = await ctx.provider.saveCard(input);
      await ctx.provider.detachCard(input.paymentMethodId, `detached:${input.idempotencyKey}`);
      return { ...saved, isReplayed: true };
    };
    const failed = await addWith({ saveCard });
    expect(failed.outcome).toMatchObject({ code: 'token_invalid' });
    expect(failed.row).toMatchObject({ state: 'failed', failure_code: 'token_invalid' });
  });

  it('can be repeated after our key was denied, and throws that', async () => {
    const denied = new ProviderError('denied', 'expired', false);
    const failed = await failing(denied);
    expect(failed.outcome).toBe(denied);
    expect(failed.row).toMatchObject({ state: 'pending', attempt: 0, is_leased: false });
  });

  it('throws a fault of ours, and keeps the lease until it expires', async () => {
    const fault = new TypeError('x is not a function');
    const failed = await failing(fault);
    expect(failed.outcome).toBe(fault);
    expect(failed.row).toMatchObject({ state: 'pending', failure_code: null, is_leased: true });
  });

  it('does not take a fault of the database for a card that was used before', async () => {
    const cardOfToken: CardProvider['cardOfToken'] = async (...input) => ({
      ...(await ctx.provider.cardOfToken(...input)),
      expYear: 100_000,
    });
    const failed = await addWith({ cardOfToken });
    expect(failed.outcome).toMatchObject({ cause: { code: '22003' } });
    expect(failed.row).toMatchObject({ state: 'pending', failure_code: null, payment_method_id: null });
  });
});

describe('removeCard', () => {
  /** Removes a card, whose addition took all retries, with a provider that detaches it in this way. @returns what was thrown, and the row */
  async function removeWith(detachCard: CardProvider['detachCard']) {
    const { id: customerId } = await newCustomer(service.db);
    await addCard(ctx, { customerId, token: 'tok_visa', card: {} });
    const [{ uuid = '' } = {}] = await service.sql`
      update cards set retries = ${retriesMax}, next_attempt_at = now() + interval '1 day'
      where customer_id = ${customerId} returning uuid`;
    const failing = { ...ctx, provider: { ...ctx.provider, detachCard } };
    const thrown = await removeCard(failing, { customerId, selector: uuid, idempotencyKey: null }).catch(
      (error) => error,
    );
    const [row] = await service.sql`
      select uuid, state, lease_until is not null as is_leased, last_error, retries, next_attempt_at <= now() as is_due
      from cards where customer_id = ${customerId}`;
    return { thrown, row };
  }

  it('is left to the completer, with all retries, after a failure of the provider, which is recorded', async () => {
    const { thrown, row } = await removeWith(() =>
      Promise.reject(new ProviderError('unavailable', 'not_reached', false)),
    );
    expect(thrown).toBeUndefined();
    expect(row).toMatchObject({
      state: 'removing',
      is_leased: false,
      last_error: 'unavailable: not_reached',
      retries: 0,
      is_due: true,
    });
  });

  it('records the first 200 characters of a failure', async () => {
    const { row } = await removeWith(() =>
      Promise.reject(new ProviderError('unavailable', 'x'.repeat(300), false)),
    );
    expect(row?.last_error).toBe(`unavailable: ${'x'.repeat(187)}`);
  });

  it('is left to the completer after a failure of the database', async () => {
    const { thrown, row } = await removeWith(() => Promise.reject(new DatabaseBusyError('')));
    expect(thrown).toBeUndefined();
    expect(row).toMatchObject({ state: 'removing', is_leased: true, is_due: true });
  });

  it('throws a fault of ours, and keeps the lease until it expires', async () => {
    const fault = new TypeError('x is not a function');
    const { thrown, row } = await removeWith(() => Promise.reject(fault));
    expect(thrown).toBe(fault);
    expect(row).toMatchObject({ state: 'removing', is_leased: true, last_error: null });
  });

  it('sends an idempotency key of the step and the UUID of the card', async () => {
    const keys: string[] = [];
    const { row } = await removeWith((paymentMethodId, key) => {
      keys.push(key);
      return ctx.provider.detachCard(paymentMethodId, key);
    });
    expect(keys).toEqual([`det:${row?.uuid}`]);
  });
});

describe.each([true, false])('failCard, customer known to the provider: %s', (isKnown) => {
  async function failWith(paymentMethodId: string | null): Promise<TestCustomer> {
    const customer = await newCustomer(service.db);
    if (isKnown) await add(customer, 'tok_mastercard');
    const claimed = await claimCard(service.web, null, customer.id, tokenHash('failing'));
    if (!claimed) throw new Error('The token was posted before.');
    const row = (await updateAddition(service.web, claimed, { paymentMethodId })) ?? claimed;
    await service.control('DELETE requests');
    expect(await failCard(ctx, row, 'token_invalid')).toMatchObject({ state: 'failed' });
    return customer;
  }

  it.each([
    ['that the addition has not found out yet', async () => null],
    ['that the provider does not have', async () => 'pm_unknown'],
    ['that is not attached', () => paymentMethodOf(service, 'tok_visa')],
  ])('detaches no payment method %s', async (_, method) => {
    const customer = await failWith(await method());
    expect(await requestsTo(service, 'paymentMethods.detach')).toEqual([]);
    expect(await statesOf(service, customer)).toEqual(isKnown ? ['active', 'failed'] : ['failed']);
  });

  it('leaves the payment method of another customer attached', async () => {
    const other = await newCustomer(service.db);
    await add(other, 'tok_visa');
    const [method = ''] = await attachedAt(service, other);
    await failWith(method);
    expect(await attachedAt(service, other)).toEqual([method]);
  });
});

it('failCard: leaves a card that another worker has added', async () => {
  const customer = await newCustomer(service.db);
  const { json } = await add(customer, 'tok_visa');
  const added = await findCard(service.db, { customerId: customer.id, id: json.card?.id ?? 0 });
  if (!added) throw new Error('There is no card.');
  expect(await failCard(ctx, added, 'token_invalid')).toEqual(added);
  expect(await statesOf(service, customer)).toEqual(['active']);
});
