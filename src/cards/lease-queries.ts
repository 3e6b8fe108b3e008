/** Which worker has an unfinished card, and when the completer retries. */
import { randomInt } from 'node:crypto';
import { and, eq, gt, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { findDeadInstances } from '#db/instance-lock.ts';
import { hasLeaseEnded } from '#db/lease.ts';
import { cards } from '#db/schema.ts';
import type { ProviderError } from '#src/payments/provider.ts';
import { type CardRow, isBeingAdded, isCard, isNotFinal } from './card-queries.ts';

/** How long a worker has an unfinished card to itself. */
const leaseSeconds = 20;
export const leaseTo = (instanceId: number | null) => ({
  // As exact as a JavaScript date, so that the worker can tell its lease from a later one.
  leaseUntil: sql`date_trunc('milliseconds', now()) + make_interval(secs => ${leaseSeconds})`,
  leasedBy: instanceId,
});
/** Whether no other worker has leased the card since it was read. */
export const isLeaseOf = ({ leaseUntil }: Pick<CardRow, 'leaseUntil'>) =>
  leaseUntil ? eq(cards.leaseUntil, leaseUntil) : isNull(cards.leaseUntil);
/** @param dead of `findDeadOwners` */
export const isLeaseOver = (dead: number[]) =>
  or(isNull(cards.leaseUntil), hasLeaseEnded(cards.leaseUntil), inArray(cards.leasedBy, dead));

/** The instances that have died and still lease cards of the condition. */
export async function findDeadOwners(db: Database, condition: SQL | undefined): Promise<number[]> {
  const rows = await db
    .selectDistinct({ id: cards.leasedBy })
    .from(cards)
    .where(and(condition, gt(cards.leaseUntil, sql`now()`), isNotNull(cards.leasedBy)));
  return findDeadInstances(
    db,
    rows.map(({ id }) => id),
  );
}

/** Of an addition that is taken over: its worker may have reached the provider, and attach the card later. */
export const takenOver = {
  lastError: sql`case when ${cards.paymentMethodId} is null then ${cards.lastError}
    else coalesce(${cards.lastError}, 'unavailable: taken_over') end`,
};

/** After this many, the row is stuck and the completer skips it. */
export const retriesMax = 10;
/** From 5 seconds to 9 hours, with jitter; in total less than the 24 hours for which the provider stores idempotency keys. */
const retryDelaySeconds = (retries: number) => 5 * 3 ** retries * (randomInt(750, 1_250) / 1_000);
export const dueNow = { retries: 0, nextAttemptAt: sql`now()` };

/** Work on a card whose addition has failed leaves the time of the failure, because a decline counts for an hour. */
export const updatedUnlessFailed = ({ failureCode }: Pick<CardRow, 'failureCode'>) => ({
  updatedAt: failureCode === null ? sql`now()` : sql`${cards.updatedAt}`,
});

const unfinished = {
  addition: isBeingAdded,
  removal: eq(cards.state, 'removing'),
};
export type Unfinished = keyof typeof unfinished;

/** Of the cards that are due, how many a worker looks at before it looks again. */
const candidatesMax = 20;

/**
 * Leases the unfinished card that has been due the longest and has no worker. Concurrent callers get different cards. The
 * retry is counted before the work, so that a card that crashes its worker becomes stuck too.
 * @param dead of `findDeadOwners`
 * @param customerId only this customer's cards
 */
export async function claimUnfinished(
  db: Database,
  instanceId: number | null,
  kind: Unfinished,
  dead: number[],
  customerId?: number,
): Promise<CardRow | undefined> {
  const isDue = and(
    unfinished[kind],
    lt(cards.retries, retriesMax),
    lte(cards.nextAttemptAt, sql`now()`),
    isLeaseOver(dead),
  );
  for (let offset = 0; ; offset += candidatesMax) {
    const due = await db
      .select({
        customerId: cards.customerId,
        id: cards.id,
        failureCode: cards.failureCode,
        retries: cards.retries,
      })
      .from(cards)
      .where(and(isDue, customerId === undefined ? undefined : eq(cards.customerId, customerId)))
      .orderBy(cards.nextAttemptAt)
      .limit(candidatesMax)
      .offset(offset);
    if (due.length === 0) return undefined;
    for (const card of due) {
      // Another worker can have been first, and a transaction that has the row must not hold up other cards.
      const free = db
        .select({ id: cards.id })
        .from(cards)
        .where(and(isCard(card), eq(cards.retries, card.retries), isDue))
        .for('update', { skipLocked: true });
      const [row] = await db
        .update(cards)
        .set({
          ...leaseTo(instanceId),
          ...(kind === 'addition' && takenOver),
          retries: card.retries + 1,
          nextAttemptAt: sql`now() + make_interval(secs => ${retryDelaySeconds(card.retries)})`,
          ...updatedUnlessFailed(card),
        })
        .where(and(isCard(card), inArray(cards.id, free)))
        .returning();
      if (row) return row;
    }
  }
}

/** The retry does not count, because the provider did not process the card. */
export async function uncountRetry(db: Database, card: CardRow): Promise<void> {
  await db
    .update(cards)
    .set({ retries: sql`${cards.retries} - 1`, nextAttemptAt: sql`now()`, ...updatedUnlessFailed(card) })
    .where(and(isCard(card), sql`${cards.retries} > 0`));
}

const lastErrorCharsMax = 200;

/** Releases the lease after a failure, so that a retry does not wait for it, unless another worker has leased the card since. */
export async function releaseCard(db: Database, card: CardRow, failure: ProviderError): Promise<void> {
  await db
    .update(cards)
    .set({
      leaseUntil: null,
      lastError: failure.message.slice(0, lastErrorCharsMax),
      ...updatedUnlessFailed(card),
      ...(failure.isStored && { attempt: sql`${cards.attempt} + 1` }),
    })
    .where(and(isCard(card), isLeaseOf(card), isNotFinal));
}
