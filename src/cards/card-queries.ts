import { and, eq, inArray, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cards, customers } from '#db/schema.ts';

export type CardRow = typeof cards.$inferSelect;

/** How long whoever works on an unfinished card has it for itself. */
const leaseSeconds = 20;
const lease = sql`now() + make_interval(secs => ${leaseSeconds})`;
const isLeaseOver = or(isNull(cards.leaseUntil), lte(cards.leaseUntil, sql`now()`));

/** After as many the row is stuck: it stays as it is, and the completer leaves it alone. */
export const maxRetries = 10;
/** From 5 seconds to 9 hours, with jitter; together less than the 24 hours for which the provider keeps its keys. */
const retryDelay = sql`make_interval(secs => 5 * power(3, ${cards.retries}) * (0.75 + random() / 2))`;
const dueNow = { retries: 0, nextAttemptAt: sql`now()` };

const isOperation = sql`not (${cards.state} in ('removing', 'removed') and ${cards.failureCode} is null)`;

/**
 * Begins the operation of a token, takes over one that was left behind, or reopens one that was given up.
 * @returns the pending row, now leased to the caller; undefined when the operation is finished or somebody has it
 */
export async function claimCard(
  db: Database,
  customerId: number,
  tokenHash: Buffer,
): Promise<CardRow | undefined> {
  const [row] = await db
    .insert(cards)
    .values({ customerId, tokenHash, state: 'pending', leaseUntil: lease })
    .onConflictDoUpdate({
      target: [cards.customerId, cards.tokenHash],
      targetWhere: isOperation,
      set: { state: 'pending', failureCode: null, leaseUntil: lease, updatedAt: sql`now()` },
      setWhere: sql`(${cards.state} = 'pending' and ${isLeaseOver}) or ${cards.failureCode} = 'abandoned'`,
    })
    .returning();
  return row;
}

/** The operation that a token stands for now. */
export async function findOperation(
  db: Database,
  customerId: number,
  tokenHash: Buffer,
): Promise<CardRow | undefined> {
  const [row] = await db
    .select()
    .from(cards)
    .where(and(eq(cards.customerId, customerId), eq(cards.tokenHash, tokenHash), isOperation));
  return row;
}

export async function findCardById(db: Database, id: number): Promise<CardRow | undefined> {
  const [row] = await db.select().from(cards).where(eq(cards.id, id));
  return row;
}

/** @returns the row, or undefined when another worker finished it in between */
export async function updatePending(
  db: Database,
  id: number,
  values: Partial<typeof cards.$inferInsert>,
): Promise<CardRow | undefined> {
  const [row] = await db
    .update(cards)
    .set({ ...values, updatedAt: sql`now()` })
    .where(and(eq(cards.id, id), eq(cards.state, 'pending')))
    .returning();
  return row;
}

/** The operation cannot succeed any more: what the provider has of the card is to be detached, then the row is failed. */
export async function beginFailure(
  db: Database,
  id: number,
  failureCode: string,
): Promise<CardRow | undefined> {
  const [row] = await db
    .update(cards)
    .set({ state: 'removing', failureCode, leaseUntil: null, ...dueNow, updatedAt: sql`now()` })
    .where(and(eq(cards.id, id), eq(cards.state, 'pending')))
    .returning();
  return row;
}

/** Gives up the lease, so that a retry need not wait for it. */
export async function releaseCard(db: Database, id: number, isNewKeyNeeded: boolean): Promise<void> {
  await db
    .update(cards)
    .set({ leaseUntil: null, ...(isNewKeyNeeded && { attempt: sql`${cards.attempt} + 1` }) })
    .where(and(eq(cards.id, id), inArray(cards.state, ['pending', 'removing'])));
}

/** @returns why the card cannot become active as things stand, or null; checked again when it does */
export async function refusalOf(db: Database, id: number, limit: number): Promise<string | null> {
  const [row] = await db
    .select({ refusal: sql<string | null>`card_refusal(${cards}, ${limit}::integer)` })
    .from(cards)
    .where(eq(cards.id, id));
  return row?.refusal ?? null;
}

/** @returns `active`, a refusal, or `superseded` when the row was no longer pending */
export async function activateCard(db: Database, id: number, limit: number): Promise<string> {
  const [row] = await db.execute<{ outcome: string }>(
    sql`select activate_card(${id}::integer, ${limit}::integer) as outcome`,
  );
  return row?.outcome ?? 'superseded';
}

/** Keeps the provider's customer, unless another request was first. @returns the one that is kept */
export async function keepProviderCustomer(
  db: Database,
  customerId: number,
  providerCustomerId: string,
): Promise<string> {
  const [row] = await db
    .update(customers)
    .set({
      providerCustomerId: sql`coalesce(${customers.providerCustomerId}, ${providerCustomerId})`,
      updatedAt: sql`${customers.updatedAt}`,
    })
    .where(eq(customers.id, customerId))
    .returning({ kept: customers.providerCustomerId });
  return row?.kept ?? providerCustomerId;
}

/** The provider deleted its customer: the next attempt makes a new one. */
export async function forgetProviderCustomer(db: Database, cardId: number): Promise<void> {
  const owner = db.select({ id: cards.customerId }).from(cards).where(eq(cards.id, cardId));
  await db
    .update(customers)
    .set({ providerCustomerId: null, updatedAt: sql`${customers.updatedAt}` })
    .where(inArray(customers.id, owner));
}

/** Cards that gave way to another, still to be detached. */
export async function findReplaced(db: Database, customerId: number): Promise<CardRow[]> {
  return db
    .select()
    .from(cards)
    .where(and(eq(cards.customerId, customerId), eq(cards.state, 'removing'), isNull(cards.leaseUntil)));
}

export async function customerOfCard(db: Database, customerId: number) {
  const [row] = await db
    .select({
      id: customers.id,
      email: customers.email,
      name: customers.name,
      createdAt: customers.createdAt,
      providerCustomerId: customers.providerCustomerId,
    })
    .from(customers)
    .where(eq(customers.id, customerId));
  return row;
}

export type CardSelector = { uuid: string } | { id: number };

const isSelected = (card: CardSelector) =>
  'uuid' in card ? eq(cards.uuid, card.uuid) : eq(cards.id, card.id);

/** Takes a card off file: from this statement on no reader sees it. */
export async function beginRemoval(
  db: Database,
  customerId: number,
  card: CardSelector,
  removalKey: Buffer | null,
): Promise<CardRow | undefined> {
  const [row] = await db
    .update(cards)
    .set({ state: 'removing', leaseUntil: lease, ...dueNow, removalKey, updatedAt: sql`now()` })
    .where(and(eq(cards.customerId, customerId), eq(cards.state, 'active'), isSelected(card)))
    .returning();
  return row;
}

/** The card that a request with this key took off file before it could say so. */
export async function findRemovedBy(
  db: Database,
  customerId: number,
  card: CardSelector,
  removalKey: Buffer,
): Promise<CardRow | undefined> {
  const isRemovedByIt = eq(cards.removalKey, removalKey);
  const [row] = await db
    .select()
    .from(cards)
    .where(and(eq(cards.customerId, customerId), isSelected(card), isRemovedByIt));
  return row;
}

/** Detached at the provider: removed, or failed when it was never on file. */
export async function endRemoval(db: Database, id: number): Promise<void> {
  await db
    .update(cards)
    .set({
      state: sql`case when ${cards.failureCode} is null then 'removed' else 'failed' end`,
      leaseUntil: null,
      updatedAt: sql`now()`,
    })
    .where(and(eq(cards.id, id), eq(cards.state, 'removing')));
}

const unfinished = {
  pending: sql`${cards.state} = 'pending'`,
  removing: sql`${cards.state} = 'removing'`,
};
export type UnfinishedState = keyof typeof unfinished;

/**
 * Leases the unfinished card that has been due for the longest time and whose worker is gone; two callers at once never
 * get the same one. Counted before the work, so that a card that crashes its worker gets stuck too.
 */
export async function claimUnfinished(db: Database, state: UnfinishedState): Promise<CardRow | undefined> {
  const isDue = and(lt(cards.retries, maxRetries), lte(cards.nextAttemptAt, sql`now()`), isLeaseOver);
  const next = db
    .select({ id: cards.id })
    .from(cards)
    .where(and(unfinished[state], isDue))
    .orderBy(cards.nextAttemptAt)
    .limit(1)
    .for('update', { skipLocked: true });
  const [row] = await db
    .update(cards)
    .set({
      leaseUntil: lease,
      retries: sql`${cards.retries} + 1`,
      nextAttemptAt: sql`now() + ${retryDelay}`,
    })
    .where(sql`${cards.id} = (${next})`)
    .returning();
  return row;
}

/** The provider did not look at the card: the retry does not count. */
export async function uncountRetry(db: Database, id: number): Promise<void> {
  await db
    .update(cards)
    .set({ retries: sql`${cards.retries} - 1`, nextAttemptAt: sql`now()` })
    .where(and(eq(cards.id, id), sql`${cards.retries} > 0`));
}
