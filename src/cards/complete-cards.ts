import { and, eq, inArray } from 'drizzle-orm';
import { cards } from '#db/schema.ts';
import type { Context } from '#src/audit.ts';
import { DomainError } from '#src/errors.ts';
import { isKeyRejected, ProviderError } from '#src/payments/provider.ts';
import { failOrRelease } from './add-card.ts';
import { abandonAddition } from './addition-queries.ts';
import type { CardContext } from './card.ts';
import { type CardRow, isNotFinal, updateAudited } from './card-queries.ts';
import { continueSetup, finishCard } from './finish-card.ts';
import {
  claimUnfinished,
  dueNow,
  findDeadOwners,
  isLeaseOver,
  releaseCard,
  retriesMax,
  type Unfinished,
  uncountRetry,
} from './lease-queries.ts';
import { findCards, isUnfinished, type ListedCard } from './list-cards.ts';
import { detachCard } from './remove-card.ts';

const cardsAtOnce = 4;

type Options = { kinds?: Unfinished[]; customerId?: number; onStuck?: (row: CardRow) => void };

/**
 * Finishes interrupted additions and removals, and ends authentications that took too long. Each has its own workers, so
 * that none waits for another. Safe to run on every instance concurrently: each card is leased to one worker, and the
 * provider sees the idempotency keys of the first attempt.
 * @param options.customerId only this customer's cards
 * @param options.onStuck called for each card that becomes stuck
 * @throws the first failure after all other cards, or immediately when the provider rejects our API key
 */
export async function completeCards(
  ctx: CardContext,
  { kinds = ['removal', 'addition'], customerId, onStuck }: Options = {},
): Promise<void> {
  const dead = await findDeadOwners(
    ctx.db,
    customerId === undefined ? isNotFinal : eq(cards.customerId, customerId),
  );
  const denied: CardRow[] = [];
  const failures: unknown[] = [];
  const work = async (kind: Unfinished) => {
    while (!failures.some(isKeyRejected)) {
      const row = await claimUnfinished(ctx.db, ctx.instanceId(), kind, dead, customerId);
      if (!row) return;
      try {
        const isFinished = await completeCard(ctx, row);
        if (!isFinished && row.retries >= retriesMax) onStuck?.(row);
      } catch (error) {
        failures.push(error);
        if (isKeyRejected(error)) denied.push(row);
      }
    }
  };
  const workers = kinds.flatMap((kind) => Array.from({ length: cardsAtOnce }, () => work(kind)));
  for (const ended of await Promise.allSettled(workers)) {
    if (ended.status === 'rejected') failures.push(ended.reason);
  }
  // Only now, because it makes them due again, and a worker whose claim was under way would take them.
  for (const row of denied) await uncountRetry(ctx.db, row);
  if (failures.length > 0) throw failures.find(isKeyRejected) ?? failures[0];
}

/** @returns whether it is finished; otherwise it is due again later */
async function completeCard(ctx: CardContext, row: CardRow): Promise<boolean> {
  try {
    if (row.state === 'removing') await detachCard(ctx, row);
    else if (row.state === 'authenticating') await continueSetup(ctx, row, { isOver: true });
    // The token is not stored, so only a client's retry can attach the card; it reopens the row.
    else if (!row.paymentMethodId) await abandonAddition(ctx.db, row);
    else await finishCard(ctx, row, { isResumed: true });
    return true;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (row.state === 'pending') return completeLater(ctx, row, error);
    if (row.state === 'authenticating') await releaseCard(ctx.db, row, error);
    if (isKeyRejected(error)) throw error;
    return false;
  }
}

async function completeLater(ctx: CardContext, row: CardRow, error: ProviderError): Promise<boolean> {
  try {
    await failOrRelease(ctx, row, error);
    return true;
  } catch (rest) {
    if (rest instanceof DomainError) return false;
    if (rest instanceof ProviderError && rest.kind === 'denied' && !isKeyRejected(rest)) return false;
    throw rest;
  }
}

/**
 * Tries to finish a customer's unfinished cards now, and gives each all of its retries again. A card that
 * another worker has at the moment is left to it.
 * @returns the cards as they are afterward
 * @throws ProviderError denied, when the provider rejects our API key
 */
export async function retryCards(ctx: CardContext & Context, customerId: number): Promise<ListedCard[]> {
  const isOfCustomer = eq(cards.customerId, customerId);
  const isToDo = and(isOfCustomer, isUnfinished);
  const unfinished = await findCards(ctx.db, isToDo);
  const isFree = and(isToDo, isLeaseOver(await findDeadOwners(ctx.db, isToDo)));
  await updateAudited(ctx.db, isFree, dueNow, 'card.retried', ctx.actor);
  await completeCards(ctx, { customerId }).catch((error: unknown) => {
    // The card has the reason of any other failure.
    if (!(error instanceof ProviderError) || error.kind === 'denied') throw error;
  });
  const ids = unfinished.map(({ card }) => card.id);
  return findCards(ctx.db, and(isOfCustomer, inArray(cards.id, ids)));
}
