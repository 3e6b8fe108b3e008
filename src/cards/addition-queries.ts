import { and, desc, eq, gt, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Database } from '#db/client.ts';
import { findGone } from '#db/instance-lock.ts';
import { cards } from '#db/schema.ts';
import type { PostalCodeCheck } from '#src/payments/provider.ts';
import { cardsMax, ownReasons } from './card.ts';
import { auditCards, type CardKey, type CardRow, isBeingAdded, isCard } from './card-queries.ts';
import { findGoneOwners, isLeaseOf, isLeaseOver, leaseTo, takenOver } from './lease-queries.ts';

export type ClaimedRow = CardRow & { isNew: boolean };

const isAddition = sql`not (${cards.state} in ('removing', 'removed') and ${cards.failureCode} is null)`;

/**
 * Starts the operation of a token, takes over an abandoned one, or reopens a failed one.
 * @returns the pending row, leased to the caller, and whether it was inserted just now; undefined when the operation is
 * finished or another worker has it
 */
export async function claimCard(
  db: Database,
  instanceId: number | null,
  customerId: number,
  tokenHash: Buffer,
): Promise<ClaimedRow | undefined> {
  const lease = leaseTo(instanceId);
  const [inserted] = await db
    .insert(cards)
    .values({ customerId, tokenHash, state: 'pending', ...lease })
    .onConflictDoNothing({ target: [cards.customerId, cards.tokenHash], where: isAddition })
    .returning();
  if (inserted) return { ...inserted, isNew: true };
  const isOfToken = and(eq(cards.customerId, customerId), eq(cards.tokenHash, tokenHash), isAddition);
  const isAbandoned = and(eq(cards.state, 'pending'), isLeaseOver(await findGoneOwners(db, isOfToken)));
  const [taken] = await db
    .update(cards)
    .set({ state: 'pending', failureCode: null, ...lease, ...takenOver, updatedAt: sql`now()` })
    .where(and(isOfToken, or(isAbandoned, eq(cards.failureCode, 'abandoned'))))
    .returning();
  return taken && { ...taken, isNew: false };
}

/** Undoes a claim before the provider was asked. @returns false if another worker has taken it over since */
export async function withdrawClaim(db: Database, row: ClaimedRow): Promise<boolean> {
  const isOurs = and(isCard(row), eq(cards.state, 'pending'), isLeaseOf(row));
  const withdrawn = row.isNew
    ? await db.delete(cards).where(isOurs).returning({ id: cards.id })
    : await db.update(cards).set({ leaseUntil: null }).where(isOurs).returning({ id: cards.id });
  return withdrawn.length > 0;
}

/**
 * The checks of a customer's cards that can count as declines: for an hour, those that were declined or wait at the bank, latest
 * first, and those in progress. A card has one row, so its decline counts once.
 * @param max up to so many in all, those whose instance has died count as in progress, too
 */
export async function findDeclines(db: Database, customerId: number, max: number) {
  const isRecent = gt(cards.updatedAt, sql`now() - interval '1 hour'`);
  const isDeclined = notInArray(cards.failureCode, ownReasons);
  const isInProgress = and(eq(cards.state, 'pending'), gt(cards.leaseUntil, sql`now()`));
  const isAtBank = eq(cards.state, 'authenticating');
  const rows = await db
    .select({ state: cards.state, updatedAt: cards.updatedAt, leasedBy: cards.leasedBy })
    .from(cards)
    .where(and(eq(cards.customerId, customerId), isRecent, or(isDeclined, isAtBank, isInProgress)))
    .orderBy(desc(cards.updatedAt));
  const countedAt = rows.flatMap(({ state, updatedAt }) => (state === 'pending' ? [] : updatedAt));
  const owners = rows.flatMap(({ state, leasedBy }) => (state === 'pending' ? [leasedBy] : []));
  const gone = rows.length > max ? await findGone(db, owners) : [];
  return { countedAt, inProgress: owners.filter((id) => id === null || !gone.includes(id)).length };
}

/** The current operation of a token. */
export async function findAddition(
  db: Database,
  customerId: number,
  tokenHash: Buffer,
): Promise<CardRow | undefined> {
  const [row] = await db
    .select()
    .from(cards)
    .where(and(eq(cards.customerId, customerId), eq(cards.tokenHash, tokenHash), isAddition));
  return row;
}

/** @returns the row, or undefined when another worker finished it meanwhile, or the condition does not hold */
export async function updateAddition(
  db: Database,
  card: CardKey,
  values: PgUpdateSetSource<typeof cards>,
  condition?: SQL,
): Promise<CardRow | undefined> {
  const [row] = await db
    .update(cards)
    .set({ ...values, updatedAt: sql`now()` })
    .where(and(isCard(card), isBeingAdded, condition))
    .returning();
  return row;
}

/**
 * Stores the payment method of the token. To whom it was attached counts only the first time: later it may be attached because
 * another worker has done so.
 */
export function storePaymentMethod(
  db: Database,
  card: CardKey,
  { providerCustomerId, ...values }: Partial<typeof cards.$inferInsert>,
): Promise<CardRow | undefined> {
  const firstCustomer = sql`case when ${cards.paymentMethodId} is null then ${providerCustomerId}
    else ${cards.providerCustomerId} end`;
  return updateAddition(db, card, { ...values, providerCustomerId: firstCustomer });
}

/** How long the cardholder has to authenticate the card. */
const authenticationHours = 24;

/** The bank wants the cardholder to authenticate. The row is due only for its end. */
export async function awaitAuthentication(db: Database, card: CardKey, setupIntentId: string): Promise<void> {
  const nextAttemptAt = sql`now() + make_interval(hours => ${authenticationHours})`;
  const waiting = { setupIntentId, leaseUntil: null, retries: 0, nextAttemptAt };
  await updateAddition(db, card, { state: 'authenticating', ...waiting }, eq(cards.state, 'pending'));
}

/** Ends a pending operation, unless a slow worker that lost its lease has stored the payment method and goes on to attach it. */
export async function abandonAddition(db: Database, card: CardKey): Promise<void> {
  const isWithoutMethod = and(eq(cards.state, 'pending'), isNull(cards.paymentMethodId));
  await updateAddition(
    db,
    card,
    { state: 'failed', failureCode: 'abandoned', leaseUntil: null },
    isWithoutMethod,
  );
}

/** @returns why the card cannot become active, or null; `activate_card` checks again */
export async function findRefusal(db: Database, card: CardRow): Promise<string | null> {
  const [row] = await db.execute<{ refusal: string | null }>(sql`
    select card_refusal(${card.customerId}, ${card.fingerprint}, ${card.expMonth}::smallint, ${card.expYear}::smallint,
      ${cardsMax}::integer) as refusal`);
  return row?.refusal ?? null;
}

/** The provider's customer that a card was attached to, and what its bank said of the ZIP code. */
export type Attached = { providerCustomerId: string; postalCodeCheck: PostalCodeCheck | null };

/**
 * @returns `active`, a refusal, `superseded` when the row was no longer pending, or `customer_missing` when the provider's
 * customer is no longer the one that we know; and the ID of the card that an active one replaced
 */
export async function activateCard(
  db: Database,
  { customerId, id }: CardKey,
  { providerCustomerId, postalCodeCheck }: Attached,
): Promise<{ outcome: string; replacedId: number | null }> {
  const [row] = await db.execute<{ outcome: string; replaced_id: string | null }>(sql`
    with activation as materialized (
      select * from activate_card(${customerId}, ${id}, ${providerCustomerId}, ${postalCodeCheck},
        ${cardsMax}::integer, now())),
    changed as (
      select 'card.removed' as action, cards.* from cards, activation
      where customer_id = ${customerId} and id = replaced_id
      union all
      select 'card.added', cards.* from cards, activation
      where customer_id = ${customerId} and id = ${id} and outcome = 'active'),
    audited as (${auditCards(sql`c.action`, sql`changed`)} order by c.action desc)
    select outcome, replaced_id from activation`);
  const { outcome = 'superseded', replaced_id: replaced = null } = row ?? {};
  return { outcome, replacedId: replaced === null ? null : Number(replaced) };
}
