import { ProviderError } from '#src/payments/provider.ts';
import { bankRequestsMax, type CardContext, cardLimit } from './card.ts';
import {
  activateCard,
  beginFailure,
  type CardKey,
  type CardRow,
  findCard,
  findCardOwner,
  findRefusal,
  findReplaced,
  forgetProviderCustomer,
  saveProviderCustomer,
  updatePending,
} from './card-queries.ts';
import { tryDetach } from './detach-card.ts';
import { providerCustomerKey, providerKey } from './provider-card.ts';

/**
 * Takes a pending card whose payment method is known to its end: checked and attached at the provider, active here.
 * May run twice at once for the same card: the provider sees the same keys, the database lets one of them through.
 * @throws ProviderError
 */
export async function finishCard(ctx: CardContext, row: CardRow): Promise<CardRow | undefined> {
  try {
    return await finishWithCustomer(ctx, row);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.reason !== 'customer_missing') throw error;
    // Deleted at the provider since we last used it: the card goes to a new one.
    await forgetProviderCustomer(ctx.db, row.customerId);
    const next = await updatePending(ctx.db, row, { attempt: row.attempt + 1 });
    return next && finishWithCustomer(ctx, next);
  }
}

async function finishWithCustomer(ctx: CardContext, row: CardRow): Promise<CardRow | undefined> {
  if (!row.paymentMethodId) return row;
  const refusal = await findRefusal(ctx.db, row, cardLimit);
  if (refusal) return failCard(ctx, row, refusal);
  const providerCustomerId = await providerCustomerOf(ctx, row);
  if (!(await isAttached(ctx, row, row.paymentMethodId, providerCustomerId))) {
    if (row.attempt >= bankRequestsMax) return failCard(ctx, row, 'provider_failed');
    const idempotencyKey = providerKey('si', row);
    await ctx.provider.saveCard({ providerCustomerId, paymentMethodId: row.paymentMethodId, idempotencyKey });
  }
  const outcome = await activateCard(ctx.db, row, cardLimit);
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

/** After a failure that the provider keeps for its key, or by the completer: the card may have been attached already. */
async function isAttached(
  ctx: CardContext,
  row: CardRow,
  paymentMethodId: string,
  providerCustomerId: string,
) {
  if (row.attempt === 0 && row.retries === 0) return false;
  const truth = await ctx.provider.findCard(paymentMethodId);
  return truth?.attachedTo === providerCustomerId;
}

async function detachReplaced(ctx: CardContext, customerId: number): Promise<void> {
  for (const replaced of await findReplaced(ctx.db, customerId)) await tryDetach(ctx, replaced);
}
