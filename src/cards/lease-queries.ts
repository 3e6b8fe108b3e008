/** Which worker has an unfinished card, and when the completer retries. */
import { and, eq, inArray, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isInstanceGone } from '#db/instance-lock.ts';
import { cards } from '#db/schema.ts';
import type { ProviderError } from '#src/payments/provider.ts';
import { type CardKey, type CardRow, isCard } from './card-queries.ts';

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
export const isLeaseOver = or(
  isNull(cards.leaseUntil),
  lte(cards.leaseUntil, sql`now()`),
  isInstanceGone(cards.leasedBy),
);

/** Of an addition that is taken over: its worker may have reached the provider, and attach the card later. */
export const takenOver = {
  lastError: sql`case when ${cards.paymentMethodId} is null then ${cards.lastError}
    else coalesce(${cards.lastError}, 'unavailable: taken_over') end`,
};

/** After this many, the row is stuck and the completer skips it. */
export const retriesMax = 10;
/** From 5 seconds to 9 hours, with jitter; in total less than the 24 hours for which the provider stores idempotency keys. */
const retryDelay = sql`make_interval(secs => 5 * power(3, ${cards.retries}) * (0.75 + random() / 2))`;
export const dueNow = { retries: 0, nextAttemptAt: sql`now()` };

/** Work on a card whose addition has failed leaves the time of the failure, because a decline counts for an hour. */
export const updatedUnlessFailed = {
  updatedAt: sql`case when ${cards.failureCode} is null then now() else ${cards.updatedAt} end`,
};

/** Not final: at work, or waiting for the cardholder. */
export const isBeingAdded = inArray(cards.state, ['pending', 'authenticating']);

const unfinished = {
  pending: isBeingAdded,
  removing: eq(cards.state, 'removing'),
};
export type UnfinishedState = keyof typeof unfinished;

/**
 * Leases the unfinished card that has been due the longest and has no worker. Concurrent callers get different cards. The
 * retry is counted before the work, so that a card that crashes its worker becomes stuck too.
 * @param customerId only this customer's cards
 */
export async function claimUnfinished(
  db: Database,
  instanceId: number | null,
  state: UnfinishedState,
  customerId?: number,
): Promise<CardRow | undefined> {
  const isDue = and(lt(cards.retries, retriesMax), lte(cards.nextAttemptAt, sql`now()`), isLeaseOver);
  const next = db
    .select({ customerId: cards.customerId, id: cards.id })
    .from(cards)
    .where(
      and(unfinished[state], isDue, customerId === undefined ? undefined : eq(cards.customerId, customerId)),
    )
    .orderBy(cards.nextAttemptAt)
    .limit(1)
    .for('update', { skipLocked: true });
  const [row] = await db
    .update(cards)
    .set({
      ...leaseTo(instanceId),
      ...(state === 'pending' && takenOver),
      retries: sql`${cards.retries} + 1`,
      nextAttemptAt: sql`now() + ${retryDelay}`,
      ...updatedUnlessFailed,
    })
    .where(sql`(${cards.customerId}, ${cards.id}) = (${next})`)
    .returning();
  return row;
}

/** The retry does not count, because the provider did not process the card. */
export async function uncountRetry(db: Database, card: CardKey): Promise<void> {
  await db
    .update(cards)
    .set({ retries: sql`${cards.retries} - 1`, nextAttemptAt: sql`now()`, ...updatedUnlessFailed })
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
      ...updatedUnlessFailed,
      ...(failure.isStored && { attempt: sql`${cards.attempt} + 1` }),
    })
    .where(
      and(isCard(card), isLeaseOf(card), inArray(cards.state, ['pending', 'authenticating', 'removing'])),
    );
}
