import { ProviderError } from '#src/payments/provider.ts';
import { type CardRow, endRemoval, releaseCard } from './card-queries.ts';
import type { CardContext } from './context.ts';
import { providerKey } from './provider-key.ts';

/**
 * Brings the removal of a card to the provider and ends it here.
 * @throws ProviderError when the provider did not take it; the row stays `removing`
 */
export async function detachCard(ctx: CardContext, row: CardRow): Promise<void> {
  if (row.paymentMethodId) {
    try {
      await ctx.provider.detachCard(row.paymentMethodId, providerKey('det', row));
    } catch (error) {
      if (error instanceof ProviderError) await releaseCard(ctx.db, row.id, error.isStored);
      throw error;
    }
  }
  await endRemoval(ctx.db, row.id);
}
