import { setTimeout } from 'node:timers/promises';
import { and, eq, getTableColumns, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isInstanceDead } from '#db/instance-lock.ts';
import { hasLeaseEnded } from '#db/lease.ts';
import { reconciliations } from '#db/schema.ts';
import { isKeyRejected, ProviderError } from '#src/payments/provider.ts';
import type { CardContext } from './card.ts';
import { type Difference, reconcileCustomer } from './reconcile-customer.ts';

const customersAtOnce = 4;
/** With `customersAtOnce`, at most 20 customers a second, a fifth of the requests that the provider allows. */
const pageMs = 200;
const retryAfterSeconds = 5 * 60;

export type NamedDifference = Difference & { username: string };

type Options = {
  /** Now and from the first customer, instead of once a day. */
  isByHand?: boolean;
  /** Ends after the customers in progress; another instance goes on. */
  signal?: AbortSignal;
  onDifference: (difference: NamedDifference) => void;
  onFailure: (customerId: number, error: ProviderError) => void;
};

/**
 * Compares the cards of all customers with the provider, in both directions. Runs once a day whatever the number of
 * instances, and continues where an interrupted run ended.
 * @returns undefined when it is not due, is under way elsewhere, or was interrupted or taken over
 * @throws ProviderError when the provider is down or rejects our API key; the run continues later
 */
export async function reconcileCards(
  ctx: CardContext,
  { isByHand = false, signal, ...report }: Options,
): Promise<ReconciliationCounts | undefined> {
  let run = await claimReconciliation(ctx.db, ctx.instanceId(), { isByHand });
  const counts = { ...run?.counts } as ReconciliationCounts;
  while (run && !signal?.aborted) {
    const startedMs = performance.now();
    const page = await nextCustomers(ctx.db, run.afterCustomerId, customersAtOnce);
    const last = page.at(-1);
    if (!last) return (await saveProgress(ctx.db, run, { counts, finishedAt: sql`now()` })) && counts;
    try {
      await reconcilePage(ctx, page, counts, report);
    } catch (error) {
      if (error instanceof ProviderError) await interrupt(ctx.db, run, retryAfterSeconds);
      throw error;
    }
    run = await saveProgress(ctx.db, run, { counts, afterCustomerId: last.id });
    await setTimeout(Math.max(0, pageMs - (performance.now() - startedMs)));
  }
  if (run) await interrupt(ctx.db, run, 0);
  return undefined;
}

/** @throws ProviderError when the key is rejected, or no customer of a page with several can be compared */
async function reconcilePage(
  ctx: CardContext,
  page: { id: number; username: string }[],
  counts: ReconciliationCounts,
  { onDifference, onFailure }: Pick<Options, 'onDifference' | 'onFailure'>,
): Promise<void> {
  const outcomes = await Promise.all(
    page.map(async ({ id, username }) => {
      try {
        const differences = await reconcileCustomer(ctx, id);
        for (const difference of differences) {
          counts[difference.kind] += 1;
          onDifference({ ...difference, username });
        }
        return undefined;
      } catch (error) {
        if (error instanceof ProviderError) return { customerId: id, error };
        throw error;
      }
    }),
  );
  const failures = outcomes.filter((outcome) => outcome !== undefined);
  const denied = failures.find(({ error }) => isKeyRejected(error));
  const down = page.length > 1 && failures.length === page.length ? failures[0] : undefined;
  const end = denied ?? down;
  if (end) throw end.error;
  counts.customers += page.length;
  counts.failed += failures.length;
  for (const { customerId, error } of failures) onFailure(customerId, error);
}

/** `version` changes with every write, also of another instance that takes the run over. */
type Reconciliation = typeof reconciliations.$inferSelect & { version: string };

const version = sql<string>`${reconciliations}.xmin::text`;
const columns = { ...getTableColumns(reconciliations), version };
const isVersion = (run: Reconciliation) => and(eq(reconciliations.id, run.id), eq(version, run.version));

const noCounts = {
  customers: 0,
  /** Customers whose cards could not be compared. */
  failed: 0,
  removed: 0,
  updated: 0,
  detached: 0,
  unknown: 0,
  missing: 0,
};
type ReconciliationCounts = typeof noCounts;

/** Far longer than a page of customers takes. */
const lease = (instanceId: number | null) => ({
  leaseUntil: sql`now() + interval '10 minutes'`,
  leasedBy: instanceId,
});
const isLeaseOver = or(hasLeaseEnded(reconciliations.leaseUntil), isInstanceDead(reconciliations.leasedBy));
const isOpen = isNull(reconciliations.finishedAt);
/** Or it started in the future, because the clock was set back. */
const isOld = sql`not ${reconciliations.startedAt} between now() - interval '24 hours' and now() + interval '1 hour'`;

/**
 * Starts a reconciliation 24 hours after the last one, or takes over one that was interrupted. Of concurrent callers, one
 * gets it.
 * @param options.isByHand starts one from the first customer whenever none is under way
 */
export async function claimReconciliation(
  db: Database,
  instanceId: number | null,
  { isByHand = false } = {},
): Promise<Reconciliation | undefined> {
  const restart = { startedAt: sql`now()`, afterCustomerId: 0, counts: noCounts };
  // The start is in the future if the clock was set back.
  const resume = { startedAt: sql`least(${reconciliations.startedAt}, now())` };
  const [open] = await db
    .update(reconciliations)
    .set({ ...(isByHand ? restart : resume), ...lease(instanceId) })
    .where(and(isOpen, isLeaseOver))
    .returning(columns);
  if (open) return open;
  const { leaseUntil, leasedBy } = lease(instanceId);
  // One statement, so that an instance that starts a moment later sees the first one's run even if it was short.
  const [row] = await db.execute<{ id: string }>(sql`
    insert into reconciliations (lease_until, leased_by, counts)
    select ${leaseUntil}, ${leasedBy}::integer, ${JSON.stringify(noCounts)}::text::jsonb
    where ${isByHand}::boolean or not exists (select from reconciliations where not (${isOld}))
    on conflict do nothing returning id`);
  if (!row) return undefined;
  const [started] = await db
    .select(columns)
    .from(reconciliations)
    .where(eq(reconciliations.id, Number(row.id)));
  return started;
}

type Progress = { counts: ReconciliationCounts; afterCustomerId?: number; finishedAt?: SQL };

/** @returns the run as it is now; undefined when another instance has taken it over */
async function saveProgress(
  db: Database,
  run: Reconciliation,
  progress: Progress,
): Promise<Reconciliation | undefined> {
  const [saved] = await db
    .update(reconciliations)
    .set({ ...progress, ...lease(run.leasedBy) })
    .where(isVersion(run))
    .returning(columns);
  return saved;
}

/** Lets another instance, or the next round of this one, go on, unless one has done so already. */
async function interrupt(db: Database, run: Reconciliation, afterSeconds: number): Promise<void> {
  await db
    .update(reconciliations)
    .set({ leaseUntil: sql`now() + make_interval(secs => ${afterSeconds})`, leasedBy: null })
    .where(isVersion(run));
}

/** Customers whose cards the provider can have. */
async function nextCustomers(db: Database, afterCustomerId: number, limit: number) {
  const rows = await db.execute<{ id: string; username: string }>(sql`
    select id, username from customers where id in (
      (select id from customers where id > ${afterCustomerId} and provider_customer_id is not null
        order by id limit ${limit})
      union
      (select distinct customer_id from cards
        where customer_id > ${afterCustomerId} and state = 'active' and provider_customer_id is not null
        order by customer_id limit ${limit}))
    order by id limit ${limit}`);
  return rows.map(({ id, username }) => ({ id: Number(id), username }));
}
