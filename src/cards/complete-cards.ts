import { DomainError } from '#src/errors.ts';
import { ProviderError } from '#src/payments/provider.ts';
import { settle } from './add-card.ts';
import { type CardRow, claimUnfinished, updatePending } from './card-queries.ts';
import type { CardContext } from './context.ts';
import { detachCard } from './detach-card.ts';
import { finishCard } from './finish-card.ts';

const batch = 20;

/**
 * Finishes cards whose worker is gone, in either direction. Safe to run on every instance at once: each card is
 * leased to one of them, and the provider sees the keys of the first attempt.
 * @returns how many cards were finished; those that the provider would not take now are tried again next time
 */
export async function completeCards(ctx: CardContext): Promise<number> {
  let finished = 0;
  for (const row of await claimUnfinished(ctx.db, batch)) {
    if (await completeCard(ctx, row)) finished++;
  }
  return finished;
}

async function completeCard(ctx: CardContext, row: CardRow): Promise<boolean> {
  try {
    if (row.state === 'removing') await detachCard(ctx, row);
    // Without the token, which is not kept, nothing can be attached: a client's retry reopens it.
    else if (!row.paymentMethodId)
      await updatePending(ctx.db, row.id, { state: 'failed', failureCode: 'abandoned', leaseUntil: null });
    else await finishCard(ctx, row);
    return true;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return row.state === 'pending' ? settledLater(ctx, row, error) : false;
  }
}

async function settledLater(ctx: CardContext, row: CardRow, error: ProviderError): Promise<boolean> {
  try {
    await settle(ctx, row.id, error);
    return true;
  } catch (rest) {
    if (rest instanceof DomainError || rest instanceof ProviderError) return false;
    throw rest;
  }
}
