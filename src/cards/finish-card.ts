import { type CardSetup, ProviderError } from '#src/payments/provider.ts';
import {
  type Activation,
  activateCard,
  awaitAuthentication,
  type Check,
  checkCard,
  isSetupOf,
  updateAddition,
} from './addition-queries.ts';
import { bankRequestsMax, type CardContext } from './card.ts';
import {
  type CardRow,
  findActiveOfNumber,
  findCard,
  findCardOwner,
  saveProviderCustomer,
} from './card-queries.ts';
import { dueNow } from './lease-queries.ts';
import { providerCustomerKey, providerKey } from './provider-card.ts';
import { resumeRemoval, tryDetach } from './remove-card.ts';
import { forgetProviderCustomer, syncCards } from './sync-cards.ts';

/** With a client secret if its bank waits for the cardholder to authenticate this worker's setup intent. */
export type Finished = CardRow | (CardRow & { clientSecret: string }) | undefined;

/** Failures after which the truth and a new key let the operation go on. */
const restartReasons = new Set(['customer_missing', 'key_reused']);

/**
 * Checks and attaches a pending card at the provider and makes it active, unless the cardholder has to authenticate
 * first. Safe to run concurrently for the same card: the provider sees the same idempotency keys, and the database
 * activates it once.
 * @param options.isResumed whether another worker may have sent the card to the provider before
 * @param options.check if it was just checked
 * @throws ProviderError
 */
export async function finishCard(
  ctx: CardContext,
  row: CardRow,
  { isResumed, check }: { isResumed: boolean; check?: Check | undefined },
): Promise<Finished> {
  if (!row.paymentMethodId || row.state !== 'pending') return row;
  const { refusal, ...owner } = await settledCheck(ctx, row, check ?? (await checkCard(ctx.db, row)));
  if (refusal) return failCard(ctx, row, refusal);
  const providerCustomerId = owner.providerCustomerId ?? (await createProviderCustomer(ctx, row));
  try {
    const setup = await setUpCard(ctx, row, row.paymentMethodId, providerCustomerId, isResumed);
    if (setup.status !== 'succeeded') return await endWithoutCard(ctx, row, setup);
    const { postalCodeCheck } = setup;
    const activation = await activateCard(ctx.db, row, { providerCustomerId, postalCodeCheck });
    if (activation.outcome !== 'customer_missing') return await endActivation(ctx, row, activation);
  } catch (error) {
    if (!(error instanceof ProviderError) || !restartReasons.has(error.reason)) throw error;
  }
  // The provider's customer was deleted meanwhile, so the card gets a new one.
  if (await ctx.provider.isCustomerDeleted(providerCustomerId))
    await forgetProviderCustomer(ctx.db, providerCustomerId);
  const next = await updateAddition(ctx.db, row, { attempt: row.attempt + 1 });
  return next && finishCard(ctx, next, { isResumed: true });
}

/** The provider may have dropped the card on file without our knowledge. It must not block its own return. */
async function settledCheck(ctx: CardContext, row: CardRow, check: Check): Promise<Check> {
  if (check.refusal !== 'card_already_added') return check;
  const same = await findActiveOfNumber(ctx.db, row);
  if (same?.paymentMethodId) await syncCards(ctx, same.paymentMethodId);
  return checkCard(ctx.db, row);
}

async function setUpCard(
  ctx: CardContext,
  row: CardRow,
  paymentMethodId: string,
  providerCustomerId: string,
  isResumed: boolean,
): Promise<CardSetup> {
  const findAttached = async () => {
    const card = await ctx.provider.findCard(paymentMethodId);
    return card?.attachedTo === providerCustomerId ? card : null;
  };
  // One that was attached before it was posted has not been checked.
  const attached = isResumed && row.providerCustomerId === null && (await findAttached());
  if (attached) return { status: 'succeeded', paymentMethodId, postalCodeCheck: attached.postalCodeCheck };
  if (row.attempt >= bankRequestsMax) return { status: 'failed', reason: 'provider_failed' };
  const idempotencyKey = providerKey('si', row);
  const setup = await ctx.provider.saveCard({ providerCustomerId, paymentMethodId, idempotencyKey });
  // An earlier success says nothing about now, and a card that was detached cannot be attached again.
  const isDetached = setup.status === 'succeeded' && setup.isReplayed && !(await findAttached());
  return isDetached ? { status: 'failed', reason: 'token_invalid' } : setup;
}

async function endWithoutCard(ctx: CardContext, row: CardRow, setup: CardSetup): Promise<Finished> {
  if (setup.status === 'failed') return failCard(ctx, row, setup.reason);
  if (setup.status !== 'action_required') return failCard(ctx, row, 'authentication_expired');
  await awaitAuthentication(ctx.db, row, setup.setupIntentId);
  const waiting = await findCard(ctx.db, row);
  return waiting?.state === 'authenticating' && waiting.setupIntentId === setup.setupIntentId
    ? { ...waiting, clientSecret: setup.clientSecret }
    : waiting;
}

/**
 * Goes on with an authenticating card from what the bank has decided. Safe to run concurrently, and with any state of the
 * setup intent, because only the current state counts.
 * @param options.isOver whether the cardholder's time to authenticate the card is over
 * @throws ProviderError when the state could not be read; then the card stays as it is
 */
export async function continueSetup(
  ctx: CardContext,
  row: CardRow,
  { isOver = false } = {},
): Promise<Finished> {
  const { setupIntentId, paymentMethodId } = row;
  if (!setupIntentId || !paymentMethodId) throw new Error('The card is not waiting for authentication.');
  if (isOver) await ctx.provider.cancelSetup(setupIntentId);
  const setup = await ctx.provider.findSetup(setupIntentId);
  if (setup.status !== 'succeeded') return endWithoutCard(ctx, row, setup);
  // Confirmed with another payment method, so the cardholder has not authenticated this one.
  if (setup.paymentMethodId !== paymentMethodId) {
    return failCard(ctx, row, 'authentication_required');
  }
  const card = await ctx.provider.findCard(paymentMethodId);
  if (!card?.attachedTo) return failCard(ctx, row, 'token_invalid');
  const { attachedTo: providerCustomerId, postalCodeCheck } = card;
  const activation = await activateCard(ctx.db, row, { providerCustomerId, postalCodeCheck });
  if (activation.outcome === 'customer_missing') return failCard(ctx, row, 'token_invalid');
  return endActivation(ctx, row, activation);
}

async function endActivation(
  ctx: CardContext,
  row: CardRow,
  { outcome, replacedId }: Activation,
): Promise<CardRow | undefined> {
  if (outcome === 'active' && replacedId === null) return { ...row, state: 'active' };
  if (replacedId)
    await tryDetach(ctx, await findCard(ctx.db, { customerId: row.customerId, id: replacedId }));
  const ended = await findCard(ctx.db, row);
  // Refused, or ended by another worker before this one attached the card.
  if (ended?.failureCode) await tryDetach(ctx, await resumeRemoval(ctx.db, ended));
  return findCard(ctx.db, row);
}

/**
 * The operation cannot succeed: the card is detached at the provider, then the row becomes failed. Nothing changes if another
 * worker has stored a setup intent since the card was read, because the outcome of that one counts.
 */
export async function failCard(
  ctx: CardContext,
  card: CardRow,
  failureCode: string,
): Promise<CardRow | undefined> {
  const failed = { state: 'removing', failureCode, leaseUntil: null, ...dueNow } as const;
  await tryDetach(ctx, await updateAddition(ctx.db, card, failed, isSetupOf(card)));
  return findCard(ctx.db, card);
}

async function createProviderCustomer(ctx: CardContext, row: CardRow): Promise<string> {
  const customer = await findCardOwner(ctx.db, row.customerId);
  if (!customer) throw new Error('The card has no customer.');
  const { id: customerId, createdAt, email, name } = customer;
  const idempotencyKey = providerCustomerKey(customer, row.attempt);
  const created = await ctx.provider.createCustomer({ customerId, createdAt, email, name, idempotencyKey });
  return saveProviderCustomer(ctx.db, customerId, created);
}
