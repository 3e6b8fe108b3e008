import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cards } from '#db/schema.ts';
import { ProviderError } from '#src/payments/provider.ts';
import type { CardContext } from './card.ts';
import { type CardRow, findCardOwner, isCard } from './card-queries.ts';
import { dueNow, releaseCard, updatedUnlessFailed } from './lease-queries.ts';
import { providerKey } from './provider-card.ts';
import { findByPaymentMethod } from './sync-queries.ts';

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
  const card = owner?.providerCustomerId ? await ctx.provider.findCard(paymentMethodId) : null;
  return Boolean(card?.attachedTo) && card?.attachedTo === owner?.providerCustomerId;
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
export async function tryDetach(ctx: CardContext, row: CardRow): Promise<void> {
  try {
    await detachCard(ctx, row);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
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
