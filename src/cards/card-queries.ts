import {
  and,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lt,
  lte,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isInstanceGone } from '#db/instance-lock.ts';
import { cards, cities, customers } from '#db/schema.ts';
import { auditInsert } from '#src/audit.ts';
import type { ProviderError } from '#src/payments/provider.ts';
import { type Card, ownReasons } from './card.ts';
import { withDefault } from './default-card.ts';

export type CardRow = typeof cards.$inferSelect;
export type ClaimedRow = CardRow & { isNew: boolean };
export type CardKey = Pick<CardRow, 'customerId' | 'id'>;

export const isCard = ({ customerId, id }: CardKey) =>
  and(eq(cards.customerId, customerId), eq(cards.id, id));

/**
 * Audits cards that become active or stop being active.
 * @param rows a relation with the columns of `cards`
 * @param actor the customer unless given
 */
export function auditCards(action: string | SQL, rows: SQL, actor?: string): SQL {
  return auditInsert({
    actor: actor ?? sql`'customer:' || customers.username`,
    action,
    customerId: sql`c.customer_id`,
    subject: sql`customers.username`,
    after: sql`jsonb_build_object('brand', c.brand, 'last4', c.last4, 'exp_month', c.exp_month, 'exp_year', c.exp_year,
      'uuid', c.uuid)`,
    from: sql`${rows} c join customers on customers.id = c.customer_id`,
  });
}

/** How long a worker has an unfinished card to itself. */
const leaseSeconds = 20;
const leaseTo = (instanceId: number | null) => ({
  leaseUntil: sql`now() + make_interval(secs => ${leaseSeconds})`,
  leasedBy: instanceId,
});
export const isLeaseOver = or(
  isNull(cards.leaseUntil),
  lte(cards.leaseUntil, sql`now()`),
  isInstanceGone(cards.leasedBy),
);

/** After this many, the row is stuck and the completer skips it. */
export const retriesMax = 10;
/** From 5 seconds to 9 hours, with jitter; in total less than the 24 hours for which the provider stores idempotency keys. */
const retryDelay = sql`make_interval(secs => 5 * power(3, ${cards.retries}) * (0.75 + random() / 2))`;
export const dueNow = { retries: 0, nextAttemptAt: sql`now()` };

const isOperation = sql`not (${cards.state} in ('removing', 'removed') and ${cards.failureCode} is null)`;

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
  const [row] = await db
    .insert(cards)
    .values({ customerId, tokenHash, state: 'pending', ...lease })
    .onConflictDoUpdate({
      target: [cards.customerId, cards.tokenHash],
      targetWhere: isOperation,
      set: { state: 'pending', failureCode: null, ...lease, updatedAt: sql`now()` },
      setWhere: sql`(${cards.state} = 'pending' and ${isLeaseOver}) or ${cards.failureCode} = 'abandoned'`,
    })
    // An inserted row version has no earlier transaction that locked or deleted it.
    .returning({ ...getTableColumns(cards), isNew: sql<boolean>`${cards}.xmax = 0` });
  return row;
}

/** Undoes a claim before the provider was asked. */
export async function withdrawClaim(db: Database, row: ClaimedRow): Promise<void> {
  // Another worker that has taken it over since may be asking the provider.
  const isUntouched = eq(cards.updatedAt, cards.createdAt);
  if (row.isNew) await db.delete(cards).where(and(isCard(row), isUntouched));
  else await updateAddition(db, row, { leaseUntil: null });
}

/**
 * The checks of a customer's cards that can count as declines: those that were declined within the last hour, latest first,
 * and those in progress. A decline is its row, so it counts once, whoever finds it.
 */
export async function findDeclines(db: Database, customerId: number) {
  const isDeclined = and(
    notInArray(cards.failureCode, ownReasons),
    gt(cards.updatedAt, sql`now() - interval '1 hour'`),
  );
  const isInProgress = and(eq(cards.state, 'pending'), sql`(${isLeaseOver}) is not true`);
  const rows = await db
    .select({ state: cards.state, updatedAt: cards.updatedAt })
    .from(cards)
    .where(and(eq(cards.customerId, customerId), or(isDeclined, isInProgress)))
    .orderBy(desc(cards.updatedAt));
  const declinedAt = rows.flatMap(({ state, updatedAt }) => (state === 'pending' ? [] : updatedAt));
  return { declinedAt, inProgress: rows.length - declinedAt.length };
}

/** The current operation of a token. */
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

export async function findCard(db: Database, card: CardKey): Promise<CardRow | undefined> {
  const [row] = await db.select().from(cards).where(isCard(card));
  return row;
}

/** Not final: at work, or waiting for the cardholder. */
const isBeingAdded = inArray(cards.state, ['pending', 'authenticating']);

/** @returns the row, or undefined when another worker finished it meanwhile */
export async function updateAddition(
  db: Database,
  card: CardKey,
  values: Partial<typeof cards.$inferInsert>,
): Promise<CardRow | undefined> {
  const [row] = await db
    .update(cards)
    .set({ ...values, updatedAt: sql`now()` })
    .where(and(isCard(card), isBeingAdded))
    .returning();
  return row;
}

/** How long the cardholder has to authenticate the card. */
const authenticationHours = 24;

/** The bank wants the cardholder to authenticate. The row is due only for its end. */
export async function awaitAuthentication(db: Database, card: CardKey, setupIntentId: string): Promise<void> {
  await db
    .update(cards)
    .set({
      state: 'authenticating',
      setupIntentId,
      leaseUntil: null,
      retries: 0,
      nextAttemptAt: sql`now() + make_interval(hours => ${authenticationHours})`,
      updatedAt: sql`now()`,
    })
    .where(and(isCard(card), eq(cards.state, 'pending')));
}

/** The rows that wait for a setup intent's authentication: one, as far as we know. */
export async function findAuthenticating(db: Database, setupIntentId: string): Promise<CardRow[]> {
  return db
    .select()
    .from(cards)
    .where(and(eq(cards.setupIntentId, setupIntentId), eq(cards.state, 'authenticating')));
}

/** Ends a pending operation, unless a slow worker that lost its lease has stored the payment method and goes on to attach it. */
export async function abandonAddition(db: Database, card: CardKey): Promise<void> {
  await db
    .update(cards)
    .set({ state: 'failed', failureCode: 'abandoned', leaseUntil: null, updatedAt: sql`now()` })
    .where(and(isCard(card), eq(cards.state, 'pending'), isNull(cards.paymentMethodId)));
}

/** The operation cannot succeed: the card will be detached at the provider, then the row becomes failed. */
export async function beginFailure(
  db: Database,
  card: CardKey,
  failureCode: string,
): Promise<CardRow | undefined> {
  const [row] = await db
    .update(cards)
    .set({ state: 'removing', failureCode, leaseUntil: null, ...dueNow, updatedAt: sql`now()` })
    .where(and(isCard(card), isBeingAdded))
    .returning();
  return row;
}

const lastErrorCharsMax = 200;

/** Releases the lease after a failure, so that a retry does not wait for it. */
export async function releaseCard(db: Database, card: CardKey, failure: ProviderError): Promise<void> {
  await db
    .update(cards)
    .set({
      leaseUntil: null,
      lastError: failure.message.slice(0, lastErrorCharsMax),
      ...(failure.isStored && { attempt: sql`${cards.attempt} + 1` }),
    })
    .where(and(isCard(card), inArray(cards.state, ['pending', 'authenticating', 'removing'])));
}

/** @returns why the card cannot become active, or null; `activate_card` checks again */
export async function findRefusal(db: Database, card: CardKey, limit: number): Promise<string | null> {
  const refusal = sql<
    string | null
  >`card_refusal(${cards.customerId}, ${cards.fingerprint}, ${cards.expMonth},
    ${cards.expYear}, ${limit}::integer)`;
  const [row] = await db.select({ refusal }).from(cards).where(isCard(card));
  return row?.refusal ?? null;
}

/** The active cards of a customer, the default card marked. */
export async function findOnFile(db: Database, customerId: number): Promise<(CardRow & Card)[]> {
  const rows = await db
    .select({ card: cards, timezone: cities.timezone })
    .from(cards)
    .innerJoin(customers, eq(customers.id, cards.customerId))
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(and(eq(cards.customerId, customerId), eq(cards.state, 'active')));
  return withDefault(
    rows.map(({ card }) => card),
    rows[0]?.timezone ?? 'UTC',
  );
}

/** The card on file that has the same number as this one. */
export async function findActiveOfNumber(
  db: Database,
  { customerId, fingerprint }: Pick<CardRow, 'customerId' | 'fingerprint'>,
): Promise<CardRow | undefined> {
  if (fingerprint === null) return undefined;
  const hasNumber = and(eq(cards.customerId, customerId), eq(cards.fingerprint, fingerprint));
  const [row] = await db
    .select()
    .from(cards)
    .where(and(hasNumber, eq(cards.state, 'active')));
  return row;
}

/**
 * @returns `active`, a refusal, `superseded` when the row was no longer pending, or `customer_missing` when the provider's
 * customer is no longer the one that we know
 */
export async function activateCard(
  db: Database,
  { customerId, id }: CardKey,
  providerCustomerId: string,
  limit: number,
): Promise<string> {
  const [row] = await db.execute<{ outcome: string }>(sql`
    with activation as materialized (
      select * from activate_card(${customerId}, ${id}, ${providerCustomerId}, ${limit}::integer, now())),
    changed as (
      select 'card.removed' as action, cards.* from cards, activation
      where customer_id = ${customerId} and id = replaced_id
      union all
      select 'card.added', cards.* from cards, activation
      where customer_id = ${customerId} and id = ${id} and outcome = 'active'),
    audited as (${auditCards(sql`c.action`, sql`changed`)} order by c.action desc)
    select outcome from activation`);
  return row?.outcome ?? 'superseded';
}

/** Stores the provider's customer, unless another request was first. @returns the stored one */
export async function saveProviderCustomer(
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
    .returning({ stored: customers.providerCustomerId });
  return row?.stored ?? providerCustomerId;
}

/** Replaced cards that still have to be detached. */
export async function findReplaced(db: Database, customerId: number): Promise<CardRow[]> {
  return db
    .select()
    .from(cards)
    .where(and(eq(cards.customerId, customerId), eq(cards.state, 'removing'), isNull(cards.leaseUntil)));
}

export async function findCardOwner(db: Database, customerId: number) {
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

/** Removes a card. No reader sees it after this statement. */
export async function beginRemoval(
  db: Database,
  instanceId: number | null,
  customerId: number,
  card: CardSelector,
  removalKey: Buffer | null,
): Promise<CardRow | undefined> {
  const removed = db.$with('removed').as(
    db
      .update(cards)
      .set({ state: 'removing', ...leaseTo(instanceId), ...dueNow, removalKey, updatedAt: sql`now()` })
      .where(and(eq(cards.customerId, customerId), eq(cards.state, 'active'), isSelected(card)))
      .returning(),
  );
  const audited = db.$with('audited', {}).as(auditCards('card.removed', sql`removed`));
  const [row] = await db.with(removed, audited).select().from(removed);
  return row;
}

/** The card that a request with this key removed before it could respond. */
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
export async function endRemoval(db: Database, card: CardKey): Promise<void> {
  await db
    .update(cards)
    .set({
      state: sql`case when ${cards.failureCode} is null then 'removed' else 'failed' end`,
      leaseUntil: null,
      updatedAt: sql`now()`,
    })
    .where(and(isCard(card), eq(cards.state, 'removing')));
}

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
      retries: sql`${cards.retries} + 1`,
      nextAttemptAt: sql`now() + ${retryDelay}`,
    })
    .where(sql`(${cards.customerId}, ${cards.id}) = (${next})`)
    .returning();
  return row;
}

/** The retry does not count, because the provider did not process the card. */
export async function uncountRetry(db: Database, card: CardKey): Promise<void> {
  await db
    .update(cards)
    .set({ retries: sql`${cards.retries} - 1`, nextAttemptAt: sql`now()` })
    .where(and(isCard(card), sql`${cards.retries} > 0`));
}
