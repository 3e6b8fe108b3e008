import { deleteOldApiRequests } from '#src/api/api-requests.ts';
import { deleteExpiredKeys } from '#src/api/idempotency.ts';
import { deleteOldSecurityEvents } from '#src/api/security-events.ts';
import type { Services } from '#src/api/services.ts';
import { deleteEndedSessions } from '#src/api/session-queries.ts';
import { deleteOldCounts } from '#src/api/stored-counter.ts';
import { deleteOldEvents } from '#src/cards/apply-event.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import type { Unfinished } from '#src/cards/lease-queries.ts';
import { reconcileCards } from '#src/cards/reconcile-cards.ts';
import { finishErasures } from '#src/customers/erase-customer.ts';
import { deleteOldAddresses, deleteOldFailedCards } from '#src/customers/retention.ts';
import { findStaleCities } from '#src/ledger/month.ts';
import { isKeyRejected } from '#src/payments/provider.ts';

const completeEveryMs = 5_000;
/** Pause of a job after the provider rejected our API key. */
const deniedPauseMs = 60_000;
const deleteEveryMs = 10 * 60_000;
/** How often the provider is asked again to delete the customers of erased ones. */
const eraseEveryMs = 60_000;
/** How often a reconciliation may start or continue; each runs once a day. */
const reconcileEveryMs = 5 * 60_000;
/** Time zone data changes with updates of Node.js and PostgreSQL. */
const zonesEveryMs = 24 * 3_600_000;

/**
 * Finishes interrupted card operations, deletes expired rows, and compares cards with the provider once a day,
 * immediately and then on a timer. Safe to run on every instance.
 * @returns a function that stops the jobs
 */
export function startBackgroundJobs(services: Services): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeat = repeater(services, signal);
  repeat('removals', completeEveryMs, () => complete(services, 'removal'));
  repeat('additions', completeEveryMs, () => complete(services, 'addition'));
  repeat('reconciliation', reconcileEveryMs, () => reconcile(services, signal));
  repeat('erasures', eraseEveryMs, () => eraseAtProvider(services));
  repeat('expiry', deleteEveryMs, () => deleteExpired(services));
  repeat('zones', zonesEveryMs, () => reportStaleCities(services));
  return () => stopping.abort();
}

/**
 * Schedules the next run of a job when one has ended, so that runs do not overlap. While the provider rejects our API key,
 * its jobs pause longer, and only the first such failure in a row is logged.
 */
function repeater({ log }: Services, signal: AbortSignal) {
  const denied = new Set<string>();
  return (name: string, everyMs: number, round: () => Promise<unknown>): void => {
    let timer: NodeJS.Timeout | undefined;
    const run = async () => {
      let waitMs = everyMs;
      try {
        await round();
        denied.delete(name);
      } catch (error) {
        if (isKeyRejected(error)) {
          if (denied.size === 0)
            log.error({ error }, 'The provider rejects our key, so work on cards is paused.');
          denied.add(name);
          waitMs = Math.max(everyMs, deniedPauseMs);
        } else log.warn({ error, task: name }, 'A run of a background job failed.');
      }
      if (!signal.aborted) timer = setTimeout(run, waitMs).unref();
    };
    signal.addEventListener('abort', () => clearTimeout(timer));
    void run();
  };
}

async function complete(services: Services, kind: Unfinished): Promise<void> {
  await completeCards(services, {
    kinds: [kind],
    onStuck: ({ customerId }) =>
      services.log.error({ customerId }, 'A card is stuck because its retries are used up.'),
  });
}

async function eraseAtProvider(services: Services): Promise<void> {
  await finishErasures(services, {
    onFailure: (customerId, error) =>
      services.log.warn({ customerId, error }, 'An erased customer could not be deleted at the provider.'),
  });
}

async function reconcile(services: Services, signal: AbortSignal): Promise<void> {
  const { log } = services;
  const counts = await reconcileCards(services, {
    signal,
    onDifference: ({ kind, customerId, paymentMethodId }) => {
      const level = kind === 'unknown' || kind === 'missing' ? 'warn' : 'info';
      log[level]({ customerId, paymentMethodId, difference: kind }, 'A card differed from the provider.');
    },
    onFailure: (customerId, error) =>
      log.warn({ customerId, error }, 'The cards of a customer could not be compared with the provider.'),
  });
  if (counts) log.info({ counts }, 'The cards were compared with the provider.');
}

/** The service's role cannot change the months. */
async function reportStaleCities({ db, log }: Services): Promise<void> {
  const { length: cities } = await findStaleCities(db);
  if (cities > 0) log.error({ counts: { cities } }, 'Time zone data changed: run operator ledger rebuild.');
}

async function deleteExpired({ db, settings }: Services): Promise<void> {
  await Promise.all([
    deleteExpiredKeys(db),
    deleteEndedSessions(db, settings.SESSION_IDLE_MINUTES),
    deleteOldCounts(db),
    deleteOldEvents(db),
    deleteOldApiRequests(db),
    deleteOldSecurityEvents(db, settings.SECURITY_EVENTS_RETENTION_DAYS),
    deleteOldAddresses(db, settings.CLIENT_ADDRESSES_RETENTION_DAYS),
    deleteOldFailedCards(db, settings.FAILED_CARDS_RETENTION_DAYS),
  ]);
}
