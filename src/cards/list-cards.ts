/** Cards in every state, as support sees them. */
import { and, desc, eq, gt, gte, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { oneRow } from '#db/one-row.ts';
import { audit, cards, customers, reconciliations } from '#db/schema.ts';
import type { AuditEntry } from '#src/customers/list-audit.ts';
import type { Backlog } from '#src/metrics.ts';
import type { CardRow } from './card-queries.ts';
import { retriesMax } from './lease-queries.ts';

export type ListedCard = { card: CardRow; username: string; isUnfinished: boolean; isStuck: boolean };

/** An authenticating card waits for the cardholder. It is unfinished once the completer could not end it. */
export const isUnfinished = or(
  inArray(cards.state, ['pending', 'removing']),
  and(eq(cards.state, 'authenticating'), gt(cards.retries, 0)),
);

/** The completer has given up on it. */
export const isStuck = and(isUnfinished, gte(cards.retries, retriesMax));

/** @returns a query of `ListedCard`s, latest first */
export function findCards(db: Database, condition: SQL | undefined) {
  return db
    .select({
      card: cards,
      username: customers.username,
      isUnfinished: sql<boolean>`${isUnfinished}`,
      isStuck: sql<boolean>`${isStuck}`,
    })
    .from(cards)
    .innerJoin(customers, eq(customers.id, cards.customerId))
    .where(condition)
    .orderBy(desc(cards.id));
}

/** @param text a card's uuid, or the ID of a payment method of the provider */
export function isNamed(text: string): SQL {
  const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
  return isUuid ? eq(cards.uuid, text) : eq(cards.paymentMethodId, text);
}

/** The audit entries of a card, latest first. */
export async function listCardAudit(
  db: Database,
  { customerId, uuid }: Pick<CardRow, 'customerId' | 'uuid'>,
): Promise<AuditEntry[]> {
  const isOfCard = sql`${audit.after} ->> 'uuid' = ${uuid}`;
  return db
    .select()
    .from(audit)
    .where(and(eq(audit.customerId, customerId), isOfCard))
    .orderBy(desc(audit.id));
}

/** What the completer has to do, for how long the longest has been due, and what the last reconciliation left. */
export async function countBacklog(db: Database): Promise<Backlog> {
  const isDue = sql`retries < ${retriesMax} and next_attempt_at <= now()`;
  // Before the first run has ended, since there are cards to compare.
  return oneRow(
    db.execute<Backlog>(sql`
    with backlog as (
      select count(*)::integer as unfinished, count(*) filter (where retries >= ${retriesMax})::integer as stuck,
        min(next_attempt_at) filter (where ${isDue}) as due_at
      from ${cards} where ${isUnfinished}),
    last_run as (
      select finished_at, (counts ->> 'missing')::integer + (counts ->> 'failed')::integer as not_reconciled
      from ${reconciliations} where finished_at is not null order by id desc limit 1),
    first as (select min(created_at) as created_at from ${cards} where not exists (select from last_run))
    select unfinished, stuck, coalesce(extract(epoch from now() - due_at), 0)::float as "oldestSeconds",
      coalesce(extract(epoch from now() - coalesce(finished_at, created_at)), 0)::float as "reconciledSecondsAgo",
      coalesce(not_reconciled, 0) as "notReconciled"
    from backlog cross join first left join last_run on true`),
  );
}
