import { and, eq, inArray, sql } from 'drizzle-orm';
import { cards } from '#db/schema.ts';
import type { Context } from '#src/audit.ts';
import { ProviderError } from '#src/payments/provider.ts';
import type { CardContext } from './card.ts';
import { auditCards } from './card-queries.ts';
import { completeCards } from './complete-cards.ts';
import { dueNow, findGoneOwners, isLeaseOver } from './lease-queries.ts';
import { findCards, isUnfinished, type ListedCard } from './list-cards.ts';

/**
 * Tries to finish a customer's unfinished cards now, and gives each all of its retries again. A card that
 * another worker has at the moment is left to it.
 * @returns the cards as they are afterward
 * @throws ProviderError denied, when the provider rejects our API key
 */
export async function retryCards(ctx: CardContext & Context, customerId: number): Promise<ListedCard[]> {
  const due = await makeDue(ctx, customerId);
  await completeCards(ctx, undefined, customerId).catch((error: unknown) => {
    // The card has the reason of any other failure.
    if (!(error instanceof ProviderError) || error.kind === 'denied') throw error;
  });
  return findCards(ctx.db, and(eq(cards.customerId, customerId), inArray(cards.id, due)));
}

async function makeDue({ db, actor }: Context, customerId: number): Promise<number[]> {
  const isOfCustomer = and(eq(cards.customerId, customerId), isUnfinished);
  const gone = await findGoneOwners(db, isOfCustomer);
  const due = db.$with('due').as(
    db
      .update(cards)
      .set(dueNow)
      .where(and(isOfCustomer, isLeaseOver(gone)))
      .returning(),
  );
  const audited = db.$with('audited', {}).as(auditCards('card.retried', sql`due`, actor));
  const rows = await db.with(due, audited).select({ id: due.id }).from(due);
  return rows.map(({ id }) => id);
}
