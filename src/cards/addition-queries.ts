import { and, type Column, eq, gt, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Database } from '#db/client.ts';
import { findDeadInstances } from '#db/instance-lock.ts';
import { oneRow } from '#db/one-row.ts';
import { cards, customers } from '#db/schema.ts';
import type { PostalCodeCheck } from '#src/payments/provider.ts';
import { cardsMax, ownReasons } from './card.ts';
import { auditCards, type CardKey, type CardRow, isBeingAdded, isCard } from './card-queries.ts';
import { dueNow, findDeadOwners, isLeaseOf, isLeaseOver, leaseTo, takenOver } from './lease-queries.ts';

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
  const isAbandoned = and(eq(cards.state, 'pending'), isLeaseOver(await findDeadOwners(db, isOfToken)));
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

/** How many count for a limit, and in how many seconds one of those that fill it is an hour old; null if they do not fill it. */
type Counted = { count: number; secondsLeft: number | null };

/**
 * What counts for a customer's limits: the cards of the last hour that were declined or wait at the bank, all new ones, and those
 * in progress, which can become either. A card has one row, so it counts once.
 * @param max with more than these in all, those whose instance has died do not count as in progress
 * @returns `inProgress` are their IDs, in the order in which they were claimed
 */
export async function findRecentAdditions(
  db: Database,
  customerId: number,
  max: { declines: number; additions: number },
): Promise<{ declines: Counted; additions: Counted; inProgress: number[] }> {
  // One dated later was stored before the clock was set back.
  const isRecent = (time: Column) =>
    sql`${time} between now() - interval '1 hour' and now() + interval '15 minutes'`;
  const isInProgress = and(eq(cards.state, 'pending'), gt(cards.leaseUntil, sql`now()`));
  const isDeclined = or(notInArray(cards.failureCode, ownReasons), eq(cards.state, 'authenticating'));
  const { id, customerId: customer, createdAt, updatedAt, leaseUntil, leasedBy } = cards;
  const recent = db
    .select({
      ...{ id, createdAt, updatedAt, leaseUntil, leasedBy },
      isDeclined: sql`${and(isRecent(updatedAt), isDeclined)}`.as('is_declined'),
      isInProgress: sql`${and(isRecent(updatedAt), isInProgress)}`.as('is_in_progress'),
    })
    .from(cards)
    .where(and(eq(customer, customerId), or(isRecent(updatedAt), isRecent(createdAt))))
    .as('recent');
  const counted = (time: Column, condition: SQL | undefined, countMax: number) => ({
    count: sql`count(*) filter (where ${condition})`.mapWith(Number),
    secondsLeft: sql<number | null>`extract(epoch from (array_agg(${time} order by ${time} desc)
      filter (where ${condition}))[${countMax}::integer] + interval '1 hour' - now())`.mapWith(Number),
  });
  const isCountedAddition = and(isRecent(recent.createdAt), sql`${recent.isInProgress} is not true`);
  const { declines, additions, claims } = await oneRow(
    db
      .select({
        declines: counted(recent.updatedAt, sql`${recent.isDeclined}`, max.declines),
        additions: counted(recent.createdAt, isCountedAddition, max.additions),
        claims: sql<{ id: number; by: number | null }[]>`coalesce(
          json_agg(json_build_object('id', ${recent.id}, 'by', ${recent.leasedBy})
            order by ${recent.leaseUntil}, ${recent.id}) filter (where ${recent.isInProgress}), '[]')`,
      })
      .from(recent),
  );
  const isOver =
    declines.count + claims.length > max.declines || additions.count + claims.length > max.additions;
  const owners = claims.map(({ by }) => by);
  const dead: (number | null)[] = isOver ? await findDeadInstances(db, owners) : [];
  const inProgress = claims.filter(({ by }) => !dead.includes(by)).map((claim) => claim.id);
  return { declines, additions, inProgress };
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

function updateBeingAdded(
  db: Database,
  card: CardKey,
  values: PgUpdateSetSource<typeof cards>,
  condition?: SQL,
) {
  return db
    .update(cards)
    .set({ ...values, updatedAt: sql`now()` })
    .where(and(isCard(card), isBeingAdded, condition))
    .returning();
}

/** Whether the card still has the setup intent that it had when it was read. */
export const isSetupOf = ({ setupIntentId }: Pick<CardRow, 'setupIntentId'>) =>
  sql`${cards.setupIntentId} is not distinct from ${setupIntentId}`;

/** @returns the row, or undefined when another worker finished it meanwhile, or the condition does not hold */
export async function updateAddition(
  ...update: Parameters<typeof updateBeingAdded>
): Promise<CardRow | undefined> {
  const [row] = await updateBeingAdded(...update);
  return row;
}

/** Why a card cannot become active, or null, which `activate_card` checks again; and the provider's customer of its customer. */
export type Check = { refusal: string | null; providerCustomerId: string | null };

type Checked = Pick<CardRow, 'customerId' | 'fingerprint' | 'expMonth' | 'expYear'>;

function checkQuery(db: Database, { customerId, fingerprint, expMonth, expYear }: Checked) {
  const refusal = sql<string | null>`card_refusal(${customerId}, ${fingerprint}, ${expMonth}::smallint,
    ${expYear}::smallint, ${cardsMax}::integer)`.as('refusal');
  return db
    .select({ refusal, providerCustomerId: customers.providerCustomerId })
    .from(customers)
    .where(eq(customers.id, customerId));
}

export async function checkCard(db: Database, card: Checked): Promise<Check> {
  const [check] = await checkQuery(db, card);
  return check ?? { refusal: null, providerCustomerId: null };
}

/**
 * Stores the payment method of the token and checks the card. The provider's customer is stored only the first time, because
 * another worker may have attached the payment method by the second.
 * @returns undefined when another worker finished the addition meanwhile
 */
export async function storePaymentMethod(
  db: Database,
  card: CardRow,
  { providerCustomerId, ...values }: Partial<CardRow> & Pick<CardRow, 'providerCustomerId'>,
): Promise<{ row: CardRow; check: Check } | undefined> {
  const firstCustomer = sql`case when ${cards.paymentMethodId} is null then ${providerCustomerId}
    else ${cards.providerCustomerId} end`;
  const changes = { ...values, providerCustomerId: firstCustomer };
  const stored = db.$with('stored').as(updateBeingAdded(db, card, changes));
  const checked = db.$with('checked').as(checkQuery(db, { ...card, ...values }));
  const [found] = await db.with(stored, checked).select().from(stored).crossJoin(checked);
  return found && { row: found.stored, check: found.checked };
}

/** How long the cardholder has to authenticate the card. */
const authenticationHours = 24;

/** The bank wants the cardholder to authenticate. The row is due only for its end. */
export async function awaitAuthentication(db: Database, card: CardKey, setupIntentId: string): Promise<void> {
  const nextAttemptAt = sql`now() + make_interval(hours => ${authenticationHours})`;
  const waiting = { setupIntentId, leaseUntil: null, retries: 0, nextAttemptAt };
  await updateAddition(db, card, { state: 'authenticating', ...waiting }, eq(cards.state, 'pending'));
}

/**
 * Ends a pending operation, unless a slow worker that lost its lease has stored the payment method and goes on to attach it.
 * A request that reopens it has all retries again.
 */
export async function abandonAddition(db: Database, card: CardKey): Promise<void> {
  const isWithoutMethod = and(eq(cards.state, 'pending'), isNull(cards.paymentMethodId));
  await updateAddition(
    db,
    card,
    { state: 'failed', failureCode: 'abandoned', leaseUntil: null, ...dueNow },
    isWithoutMethod,
  );
}

/** The provider's customer that a card was attached to, and what its bank said of the ZIP code. */
type Attached = { providerCustomerId: string; postalCodeCheck: PostalCodeCheck | null };

/** The ID of the card that an active one replaced. */
export type Activation = { outcome: string; replacedId: number | null };

/**
 * @returns `active`, a refusal, `superseded` when the row was no longer pending, or `customer_missing` when the provider's
 * customer is no longer the one that we know
 */
export async function activateCard(
  db: Database,
  { customerId, id }: CardKey,
  { providerCustomerId, postalCodeCheck }: Attached,
): Promise<Activation> {
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
