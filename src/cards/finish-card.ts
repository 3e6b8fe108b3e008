import { ProviderError } from '#src/payments/provider.ts';
import { bankRequestsMax, type CardContext, cardLimit } from './card.ts';
import {
  activateCard,
  beginFailure,
  type CardKey,
  type CardRow,
  findActiveOfNumber,
  findCard,
  findCardOwner,
  findRefusal,
  findReplaced,
  saveProviderCustomer,
  updatePending,
} from './card-queries.ts';
import { tryDetach } from './detach-card.ts';
import { providerCustomerKey, providerKey } from './provider-card.ts';
import { syncCards } from './sync-cards.ts';
import { forgetProviderCustomer } from './sync-queries.ts';

/** Failures after which the truth and a new key let the operation go on. */
const restartReasons = new Set(['customer_missing', 'key_reused']);

/**
 * Checks and attaches a pending card at the provider and makes it active. Safe to run concurrently for the same card: the
 * provider sees the same idempotency keys, and the database activates it once.
 * @param isResumed whether another worker may have sent the card to the provider before
 * @throws ProviderError
 */
export async function finishCard(
  ctx: CardContext,
  row: CardRow,
  isResumed: boolean,
): Promise<CardRow | undefined> {
  if (!row.paymentMethodId) return row;
  const refusal = await refusalOf(ctx, row);
  if (refusal) return failCard(ctx, row, refusal);
  const providerCustomerId = await providerCustomerOf(ctx, row);
  try {
    const failureCode = await attachCard(ctx, row, row.paymentMethodId, providerCustomerId, isResumed);
    if (failureCode) return await failCard(ctx, row, failureCode);
    return await activate(ctx, row, providerCustomerId);
  } catch (error) {
    if (!(error instanceof ProviderError) || !restartReasons.has(error.reason)) throw error;
    // The provider's customer was deleted meanwhile, so the card gets a new one.
    if (error.reason === 'customer_missing') await forgetProviderCustomer(ctx.db, providerCustomerId);
    const next = await updatePending(ctx.db, row, { attempt: row.attempt + 1 });
    return next && finishCard(ctx, next, true);
  }
}

async function refusalOf(ctx: CardContext, row: CardRow): Promise<string | null> {
  const refusal = await findRefusal(ctx.db, row, cardLimit);
  if (refusal !== 'card_already_added') return refusal;
  // The provider may have dropped the card on file without our knowledge. It must not block its own return.
  const same = await findActiveOfNumber(ctx.db, row);
  if (same?.paymentMethodId) await syncCards(ctx, same.paymentMethodId, false);
  return findRefusal(ctx.db, row, cardLimit);
}

/** @returns why the card cannot be attached, if so */
async function attachCard(
  ctx: CardContext,
  row: CardRow,
  paymentMethodId: string,
  providerCustomerId: string,
  isResumed: boolean,
): Promise<string | undefined> {
  const isAttached = async () =>
    (await ctx.provider.findCard(paymentMethodId))?.attachedTo === providerCustomerId;
  if (isResumed && (await isAttached())) return undefined;
  if (row.attempt >= bankRequestsMax) return 'provider_failed';
  const idempotencyKey = providerKey('si', row);
  const { isReplayed } = await ctx.provider.saveCard({ providerCustomerId, paymentMethodId, idempotencyKey });
  // A stored success says nothing about now, and a card that was detached cannot be attached again.
  return isReplayed && !(await isAttached()) ? 'token_invalid' : undefined;
}

async function activate(
  ctx: CardContext,
  row: CardRow,
  providerCustomerId: string,
): Promise<CardRow | undefined> {
  const outcome = await activateCard(ctx.db, row, providerCustomerId, cardLimit);
  if (outcome === 'customer_missing') throw new ProviderError('unavailable', 'customer_missing', true);
  if (outcome === 'active') await detachReplaced(ctx, row.customerId);
  const ended = await findCard(ctx.db, row);
  if (ended?.state === 'removing' && outcome !== 'superseded') await tryDetach(ctx, ended);
  return ended;
}

/** Ends a pending operation as failed, with nothing attached. */
export async function failCard(
  ctx: CardContext,
  card: CardKey,
  failureCode: string,
): Promise<CardRow | undefined> {
  const failing = await beginFailure(ctx.db, card, failureCode);
  if (failing) await tryDetach(ctx, failing);
  return findCard(ctx.db, card);
}

async function providerCustomerOf(ctx: CardContext, row: CardRow): Promise<string> {
  const customer = await findCardOwner(ctx.db, row.customerId);
  if (!customer) throw new Error('The card has no customer.');
  if (customer.providerCustomerId) return customer.providerCustomerId;
  const { id: customerId, email, name } = customer;
  const idempotencyKey = providerCustomerKey(customer, row.attempt);
  const created = await ctx.provider.createCustomer({ customerId, email, name, idempotencyKey });
  return saveProviderCustomer(ctx.db, customerId, created);
}

async function detachReplaced(ctx: CardContext, customerId: number): Promise<void> {
  for (const replaced of await findReplaced(ctx.db, customerId)) await tryDetach(ctx, replaced);
}
