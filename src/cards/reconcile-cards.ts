import { setTimeout } from 'node:timers/promises';
import { ProviderError } from '#src/payments/provider.ts';
import type { CardContext } from './card.ts';
import { type Difference, reconcileCustomer } from './reconcile-customer.ts';
import {
  claimReconciliation,
  interrupt,
  nextCustomers,
  type Reconciliation,
  type ReconciliationCounts,
  saveProgress,
} from './reconciliation-queries.ts';

const customersAtOnce = 4;
/** With `customersAtOnce`, at most 20 customers a second, a fifth of the requests that the provider allows. */
const pauseMs = 200;
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
  const run = await claimReconciliation(ctx.db, ctx.instanceId(), isByHand);
  return run && reconcilePages(ctx, run, { ...report, signal });
}

async function reconcilePages(
  ctx: CardContext,
  claimed: Reconciliation,
  options: Omit<Options, 'isByHand' | 'signal'> & { signal: AbortSignal | undefined },
): Promise<ReconciliationCounts | undefined> {
  const counts = { ...claimed.counts } as ReconciliationCounts;
  let run: Reconciliation | undefined = claimed;
  while (run && !options.signal?.aborted) {
    const page = await nextCustomers(ctx.db, run.afterCustomerId, customersAtOnce);
    const last = page.at(-1);
    if (!last) return (await saveProgress(ctx.db, run, { counts, finishedAt: new Date() })) && counts;
    try {
      await reconcilePage(ctx, page, counts, options);
    } catch (error) {
      if (error instanceof ProviderError) await interrupt(ctx.db, run, retryAfterSeconds);
      throw error;
    }
    run = await saveProgress(ctx.db, run, { counts, afterCustomerId: last.id });
    await setTimeout(pauseMs);
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
        const differences = await reconcileCustomer(ctx, id, false);
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
  const denied = failures.find(({ error }) => error.kind === 'denied');
  const down = page.length > 1 && failures.length === page.length ? failures[0] : undefined;
  const end = denied ?? down;
  if (end) throw end.error;
  counts.customers += page.length;
  counts.failed += failures.length;
  for (const { customerId, error } of failures) onFailure(customerId, error);
}
