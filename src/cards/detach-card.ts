import { ProviderError } from '#src/payments/provider.ts';
import type { CardContext } from './card.ts';
import { type CardRow, endRemoval, releaseCard } from './card-queries.ts';
import { providerKey } from './provider-card.ts';

/**
 * Brings the removal of a card to the provider and ends it here.
 * @throws ProviderError when the provider did not take it; the row stays `removing`
 */
export async function detachCard(ctx: CardContext, row: CardRow): Promise<void> {
  if (row.paymentMethodId) {
    try {
      await ctx.provider.detachCard(row.paymentMethodId, providerKey('det', row));
    } catch (error) {
      if (error instanceof ProviderError) await releaseCard(ctx.db, row, error.isStored);
      throw error;
    }
  }
  await endRemoval(ctx.db, row);
}

/** The same, for a response that does not depend on it: the completer detaches later what the provider does not take now. */
export async function tryDetach(ctx: CardContext, row: CardRow): Promise<void> {
  try {
    await detachCard(ctx, row);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
  }
}
