import type { ProviderCard } from '#src/payments/provider.ts';
import type { CardContext } from './card.ts';
import { findCard } from './card-queries.ts';
import { tryDetach } from './detach-card.ts';
import { cardColumns } from './provider-card.ts';
import {
  type CardVersion,
  failDetached,
  findByPaymentMethod,
  refreshCard,
  removeDetached,
} from './sync-queries.ts';

/**
 * Brings the cards of a payment method in line with the provider.
 * @param isDetached whether it was attached before, so that it cannot be attached any more
 * @throws ProviderError when the truth could not be read
 */
export async function syncCards(
  ctx: CardContext,
  paymentMethodId: string,
  isDetached: boolean,
): Promise<void> {
  const cards = await findByPaymentMethod(ctx.db, paymentMethodId);
  if (cards.length === 0) return;
  const truth = await ctx.provider.findCard(paymentMethodId);
  const synced = await Promise.all(
    cards.map((card) => (truth?.attachedTo ? refresh(ctx, card, truth) : endDetached(ctx, card, isDetached))),
  );
  // A card has changed since we read it, perhaps to a newer truth than ours.
  if (synced.includes(false)) await syncCards(ctx, paymentMethodId, isDetached);
}

async function refresh(ctx: CardContext, card: CardVersion, truth: ProviderCard): Promise<boolean> {
  const refreshed = await refreshCard(ctx.db, card, cardColumns(truth, {}));
  if (!refreshed) return false;
  const { customerId } = card;
  const replaced = refreshed.replacedId && (await findCard(ctx.db, { customerId, id: refreshed.replacedId }));
  if (replaced) await tryDetach(ctx, replaced);
  return true;
}

async function endDetached(ctx: CardContext, card: CardVersion, isDetached: boolean): Promise<boolean> {
  if (card.state === 'active') return removeDetached(ctx.db, card);
  // One that is being added may not have been attached yet.
  return isDetached ? failDetached(ctx.db, card) : true;
}
