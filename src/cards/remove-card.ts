import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isTransient } from '#db/errors.ts';
import { cards } from '#db/schema.ts';
import { DomainError, type ProblemCode } from '#src/errors.ts';
import { ProviderError } from '#src/payments/provider.ts';
import { tokenHash } from '#src/tokens.ts';
import type { CardContext } from './card.ts';
import { type CardRow, findByPaymentMethod, findCardOwner, isCard, updateAudited } from './card-queries.ts';
import { dueNow, leaseTo, releaseCard, updatedUnlessFailed } from './lease-queries.ts';
import { providerKey } from './provider-card.ts';

export const removeCardProblems: readonly ProblemCode[] = ['card_not_found'];

/**
 * Removes a card. If the provider or then the database is down, the completer detaches the card later.
 * @param input.selector the card's uuid or its integer id
 * @param input.idempotencyKey lets a retry after a crash succeed
 * @throws DomainError card_not_found, also for another customer's card
 */
export async function removeCard(
  ctx: CardContext,
  input: { customerId: number; selector: string; idempotencyKey: string | null },
): Promise<void> {
  const { customerId, selector, idempotencyKey } = input;
  const isNamed = /^\d+$/.test(selector)
    ? // PostgreSQL refuses larger numbers.
      eq(cards.id, Math.min(Number(selector), Number.MAX_SAFE_INTEGER))
    : eq(cards.uuid, selector);
  const isSelected = and(eq(cards.customerId, customerId), isNamed);
  const key = idempotencyKey === null ? null : tokenHash(idempotencyKey);
  const isOnFile = and(isSelected, eq(cards.state, 'active'));
  const lease = leaseTo(ctx.instanceId());
  const removing = {
    state: 'removing',
    ...lease,
    ...dueNow,
    removalKey: key,
    updatedAt: sql`now()`,
  } as const;
  // No reader sees the card after this statement.
  const [removed] = await updateAudited(ctx.db, isOnFile, removing, 'card.removed');
  const row = removed ?? (key ? await findRemovedBy(ctx.db, isSelected, key) : undefined);
  if (!row) throw new DomainError('card_not_found', 'No such card on file.');
  if (row.state === 'removing') await tryDetach(ctx, row);
}

/** The card that a request with this key removed before it could respond. */
async function findRemovedBy(
  db: Database,
  isSelected: SQL | undefined,
  removalKey: Buffer,
): Promise<CardRow | undefined> {
  const [row] = await db
    .select()
    .from(cards)
    .where(and(isSelected, eq(cards.removalKey, removalKey)));
  return row;
}

/**
 * Detaches a card at the provider and finishes its removal. If its addition failed, its setup intent is canceled first, so
 * that it cannot attach another card later, and a card that was attached before stays so: it may be somebody else's, such as a
 * checkout page of the same account.
 * @throws ProviderError when the provider fails; the row stays `removing`
 */
export async function detachCard(ctx: CardContext, row: CardRow): Promise<void> {
  if (row.paymentMethodId) {
    try {
      if (row.failureCode && row.setupIntentId) await endSetup(ctx, row, row.setupIntentId);
      if (!row.failureCode || (await isAttachedByIt(ctx, row, row.paymentMethodId)))
        await ctx.provider.detachCard(row.paymentMethodId, providerKey('det', row));
    } catch (error) {
      if (error instanceof ProviderError) await releaseCard(ctx.db, row, error);
      throw error;
    }
  }
  await endRemoval(ctx.db, row);
}

/** Not attached before, and not to another customer, who has posted the same payment method meanwhile. */
async function isAttachedByIt(ctx: CardContext, row: CardRow, paymentMethodId: string): Promise<boolean> {
  if (row.providerCustomerId) return false;
  const owner = await findCardOwner(ctx.db, row.customerId);
  if (!owner?.providerCustomerId) return false;
  const card = await ctx.provider.findCard(paymentMethodId);
  return card?.attachedTo === owner.providerCustomerId;
}

/** Detaches what the setup intent attached instead of the row's card, unless that is another row's. */
async function endSetup(ctx: CardContext, row: CardRow, setupIntentId: string): Promise<void> {
  const setup = await ctx.provider.cancelSetup(setupIntentId);
  if (setup.status !== 'succeeded' || !setup.paymentMethodId) return;
  const { paymentMethodId } = setup;
  if (paymentMethodId === row.paymentMethodId) return;
  if ((await findByPaymentMethod(ctx.db, paymentMethodId)).length > 0) return;
  await ctx.provider.detachCard(paymentMethodId, `${providerKey('det', row)}:${paymentMethodId}`);
}

/** Like `detachCard`, but leaves a failed detachment to the completer. */
export async function tryDetach(ctx: CardContext, row: CardRow | undefined): Promise<void> {
  try {
    if (row) await detachCard(ctx, row);
  } catch (error) {
    if (!(error instanceof ProviderError) && !isTransient(error)) throw error;
  }
}

/**
 * Begins again the removal of a card that is attached although it ended here. With a new key, because the provider may have
 * stored a response for the last one.
 */
export async function resumeRemoval(db: Database, card: CardRow): Promise<CardRow | undefined> {
  const [row] = await db
    .update(cards)
    .set({ state: 'removing', attempt: sql`${cards.attempt} + 1`, ...dueNow, ...updatedUnlessFailed(card) })
    .where(and(isCard(card), inArray(cards.state, ['removing', 'removed', 'failed'])))
    .returning();
  return row;
}

/** Detached at the provider: removed, or failed when it was never on file. */
async function endRemoval(db: Database, card: CardRow): Promise<void> {
  await db
    .update(cards)
    .set({
      state: sql`case when ${cards.failureCode} is null then 'removed' else 'failed' end`,
      leaseUntil: null,
      ...updatedUnlessFailed(card),
    })
    .where(and(isCard(card), eq(cards.state, 'removing')));
}
