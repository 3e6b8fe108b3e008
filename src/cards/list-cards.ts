/** Cards in every state, as support sees them. */
import { and, desc, eq, gt, gte, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { audit, cards, customers, reconciliations } from '#db/schema.ts';
import type { AuditEntry } from '#src/customers/list-audit.ts';
import type { Backlog } from '#src/metrics.ts';
import type { CardRow } from './card-queries.ts';
import { retriesMax } from './lease-queries.ts';

export type ListedCard = { card: CardRow; username: string; isStuck: boolean };

/** An authenticating card waits for the cardholder. It is unfinished once the completer could not end it. */
export const isUnfinished = or(
  inArray(cards.state, ['pending', 'removing']),
  and(eq(cards.state, 'authenticating'), gt(cards.retries, 0)),
);

/** The completer has given up on it. */
export const isStuck = and(isUnfinished, gte(cards.retries, retriesMax));

/** Latest first. */
export async function findCards(
  db: Database,
  condition: SQL | undefined,
  limit?: number,
): Promise<ListedCard[]> {
  const found = db
    .select({ card: cards, username: customers.username, isStuck: sql<boolean>`${isStuck}` })
    .from(cards)
    .innerJoin(customers, eq(customers.id, cards.customerId))
    .where(condition)
    .orderBy(desc(cards.id))
    .$dynamic();
  return limit === undefined ? found : found.limit(limit);
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
  const ofLastRun = (value: SQL) =>
    sql<string>`(select ${value} from ${reconciliations} where finished_at is not null order by started_at desc limit 1)`;
  const isDue = sql`${cards.retries} < ${retriesMax} and ${cards.nextAttemptAt} <= now()`;
  const [row] = await db
    .select({
      unfinished: sql<string>`count(*)`,
      stuck: sql<string>`count(*) filter (where ${cards.retries} >= ${retriesMax})`,
      oldestSeconds: sql<string>`coalesce(extract(epoch from now() - min(${cards.nextAttemptAt}) filter (where ${isDue})), 0)`,
      // Before the first run has ended, since there are cards to compare.
      reconciledSecondsAgo: sql<string>`coalesce(extract(epoch from now() - coalesce(${ofLastRun(sql`finished_at`)},
        (select min(created_at) from ${cards}))), 0)`,
      notReconciled: sql<string>`coalesce(${ofLastRun(sql`(counts ->> 'missing')::integer + (counts ->> 'failed')::integer`)}, 0)`,
    })
    .from(cards)
    .where(isUnfinished);
  return {
    unfinished: Number(row?.unfinished),
    stuck: Number(row?.stuck),
    oldestSeconds: Number(row?.oldestSeconds),
    reconciledSecondsAgo: Number(row?.reconciledSecondsAgo),
    notReconciled: Number(row?.notReconciled),
  };
}
