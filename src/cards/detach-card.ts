import { ProviderError } from '#src/payments/provider.ts';
import type { CardContext } from './card.ts';
import { type CardRow, endRemoval, releaseCard } from './card-queries.ts';
import { providerKey } from './provider-card.ts';

/**
 * Detaches a card at the provider and finishes its removal.
 * @throws ProviderError when the provider fails; the row stays `removing`
 */
export async function detachCard(ctx: CardContext, row: CardRow): Promise<void> {
  if (row.paymentMethodId) {
    try {
      await ctx.provider.detachCard(row.paymentMethodId, providerKey('det', row));
    } catch (error) {
      if (error instanceof ProviderError) await releaseCard(ctx.db, row, error);
      throw error;
    }
  }
  await endRemoval(ctx.db, row);
}

/** Like `detachCard`, but leaves a failed detachment to the completer. */
export async function tryDetach(ctx: CardContext, row: CardRow): Promise<void> {
  try {
    await detachCard(ctx, row);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
  }
}
