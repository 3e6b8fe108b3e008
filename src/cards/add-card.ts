import { isUniqueViolation } from '#db/errors.ts';
import { DomainError, type ProblemCode } from '#src/errors.ts';
import { ProviderError } from '#src/payments/provider.ts';
import { tokenHash } from '#src/tokens.ts';
import {
  type Check,
  type ClaimedRow,
  claimCard,
  findAddition,
  isSetupOf,
  storePaymentMethod,
  updateAddition,
  withdrawClaim,
} from './addition-queries.ts';
import { type Card, type CardContext, type CardFailure, cardFailure } from './card.ts';
import {
  additionStates,
  type CardRow,
  findByPaymentMethod,
  findCard,
  findCardOwner,
  findOnFile,
} from './card-queries.ts';
import { continueSetup, type Finished, failCard, finishCard } from './finish-card.ts';
import { releaseCard } from './lease-queries.ts';
import { type ClaimedCard, cardColumns, providerKey } from './provider-card.ts';

export type AddCardOutcome =
  | { status: 'added'; card: Card; replacedUuid: string | null }
  /** Not final. After the authentication in the cardholder's browser, the same token goes on from what the bank decided. */
  | { status: 'authentication_required'; clientSecret: string }
  | { status: 'refused'; failure: CardFailure };

export const addCardProblems: readonly ProblemCode[] = [
  'token_invalid',
  'card_in_flight',
  'provider_unavailable',
];

/**
 * Adds a card exactly once for a customer and a token, even with repeated and concurrent calls. The token's row stores the
 * progress, and its ID is part of every idempotency key sent to the provider.
 * Decision: docs/decisions/0001-card-row-is-the-operation.md.
 * @param input.token a `tok_…` or `pm_…` of the provider; only its hash is stored
 * @param input.card card details from the request, used if the provider has none
 * @param limit called before the provider is asked; throws when there were too many cards, because many in a row indicate card
 *   testing
 * @throws DomainError of `addCardProblems`, and what `limit` throws
 */
export async function addCard(
  ctx: CardContext,
  input: { customerId: number; token: string; card: ClaimedCard },
  limit?: (claimed: ClaimedRow) => Promise<void>,
): Promise<AddCardOutcome> {
  const hash = tokenHash(input.token);
  const claimed = await claimCard(ctx.db, ctx.instanceId(), input.customerId, hash);
  if (!claimed) return continueAddition(ctx, await findAddition(ctx.db, input.customerId, hash));
  try {
    await limit?.(claimed);
  } catch (error) {
    if (await withdrawClaim(ctx.db, claimed)) throw error;
    // Another worker has taken it over, and a token that has its outcome is not limited.
    return continueAddition(ctx, await findAddition(ctx.db, input.customerId, hash));
  }
  const finish = async () => {
    if (claimed.paymentMethodId !== null) return finishCard(ctx, claimed, { isResumed: true });
    const { row, check } = await exchangeToken(ctx, claimed, input);
    return finishCard(ctx, row, { isResumed: false, check });
  };
  return continueAddition(ctx, await finish().catch((error) => failOrRelease(ctx, claimed, error)));
}

/** The outcome of a card; if another worker left it to its bank, after what the bank has decided since. */
async function continueAddition(ctx: CardContext, row: Finished): Promise<AddCardOutcome> {
  if (row?.state !== 'authenticating' || 'clientSecret' in row) return outcomeOf(ctx, row);
  return outcomeOf(ctx, await continueSetup(ctx, row).catch((error) => failOrRelease(ctx, row, error)));
}

async function exchangeToken(
  ctx: CardContext,
  row: CardRow,
  input: { token: string; card: ClaimedCard },
): Promise<{ row: CardRow; check?: Check }> {
  const card = await ctx.provider.cardOfToken(input.token, providerKey('pm', row));
  // Another customer's payment method is reported like one that does not exist.
  if (card.attachedTo !== null) {
    const customer = await findCardOwner(ctx.db, row.customerId);
    if (card.attachedTo !== customer?.providerCustomerId) throw new ProviderError('token', 'not_ours', true);
  }
  const columns = { ...cardColumns(card, input.card), providerCustomerId: card.attachedTo };
  const stored = await storePaymentMethod(ctx.db, row, columns).catch(async (error) => {
    if (!isUniqueViolation(error)) throw error;
    // Another row has the payment method: it is on file, or was used. One that is being removed is still attached.
    const onFile = card.attachedTo === null ? [] : await findByPaymentMethod(ctx.db, card.paymentMethodId);
    throw onFile.length > 0
      ? new ProviderError('card', 'card_already_added', true)
      : new ProviderError('token', 'used_before', true);
  });
  return stored ?? { row: (await findCard(ctx.db, row)) ?? row };
}

/**
 * Handles a failed attempt: the operation fails permanently, or it waits for a retry or the completer.
 * @returns the outcome, also one of another worker that was first
 * @throws ProviderError misuse or denied, so that it is logged as an error
 */
export async function failOrRelease(
  ctx: CardContext,
  card: CardRow,
  error: unknown,
): Promise<CardRow | undefined> {
  if (!(error instanceof ProviderError)) throw error;
  if (error.kind === 'card' || error.kind === 'token') {
    const failureCode = error.kind === 'card' ? error.reason : 'token_invalid';
    const failed = { state: 'failed', failureCode, leaseUntil: null } as const;
    return (await updateAddition(ctx.db, card, failed, isSetupOf(card))) ?? findCard(ctx.db, card);
  }
  if (error.kind === 'misuse') {
    await failCard(ctx, card, 'provider_refused');
    throw error;
  }
  await releaseCard(ctx.db, card, error);
  if (error.kind === 'denied') throw error;
  if (error.reason === 'in_flight')
    throw new DomainError('card_in_flight', 'The provider is still processing it.', [], { cause: error });
  throw new DomainError('provider_unavailable', error.message, [], { cause: error });
}

async function outcomeOf(ctx: CardContext, row: Finished): Promise<AddCardOutcome> {
  if (row && 'clientSecret' in row)
    return { status: 'authentication_required', clientSecret: row.clientSecret };
  // The next request goes on with an abandoned addition.
  if (!row || additionStates.includes(row.state) || row.failureCode === 'abandoned')
    throw new DomainError('card_in_flight', 'Another request is processing this token.');
  if (row.state === 'active') {
    const onFile = (await findOnFile(ctx.db, row.customerId)).find(({ id }) => id === row.id);
    // Removed by another request since.
    const card = onFile ?? { ...row, isDefault: false };
    return { status: 'added', card, replacedUuid: row.replacedUuid };
  }
  if (row.failureCode === 'token_invalid')
    throw new DomainError('token_invalid', 'The provider does not know the token.');
  if (row.failureCode) return { status: 'refused', failure: cardFailure(row.failureCode) };
  throw new DomainError('token_invalid', 'The card added with this token was removed.');
}
