import { deleteOldApiRequests } from '#src/api/api-requests.ts';
import { deleteExpiredKeys } from '#src/api/idempotency-queries.ts';
import { deleteOldSecurityEvents } from '#src/api/security-events.ts';
import type { Services } from '#src/api/services.ts';
import { deleteEndedSessions } from '#src/api/session-queries.ts';
import { deleteOldEvents } from '#src/cards/apply-event.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import type { UnfinishedState } from '#src/cards/lease-queries.ts';
import { reconcileCards } from '#src/cards/reconcile-cards.ts';
import { finishErasures } from '#src/customers/erase-customer.ts';
import { deleteOldAddresses, deleteOldFailedCards } from '#src/customers/retention.ts';
import { findStaleCities } from '#src/ledger/zone-months.ts';
import { ProviderError } from '#src/payments/provider.ts';

const completeEveryMs = 5_000;
/** Pause of the completer after the provider rejected our API key. */
const roundsSkipped = 60_000 / completeEveryMs;
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
  const { log } = services;
  const denied = new Set<UnfinishedState>();
  const stopping = new AbortController();
  const stops = [
    repeating(log, 'removals', completeEveryMs, completer(services, 'removing', denied)),
    repeating(log, 'additions', completeEveryMs, completer(services, 'pending', denied)),
    repeating(log, 'expiry', deleteEveryMs, () => deleteExpired(services)),
    repeating(log, 'reconciliation', reconcileEveryMs, () => reconcile(services, stopping.signal)),
    repeating(log, 'erasures', eraseEveryMs, async () => {
      await finishErasures(services);
    }),
    repeating(log, 'zones', zonesEveryMs, () => reportStaleCities(services)),
  ];
  return () => {
    stopping.abort();
    for (const stop of stops) stop();
  };
}

/**
 * Runs the completer once, for removals or for additions.
 * @param denied the kinds whose last run failed because the provider rejected our API key; only the first such failure
 *   in a row is logged
 */
function completer(
  services: Services,
  state: UnfinishedState,
  denied: Set<UnfinishedState>,
): () => Promise<void> {
  const { log } = services;
  let skipped = 0;
  return async () => {
    if (denied.has(state) && skipped++ < roundsSkipped) return;
    try {
      const stuck = await completeCards(services, [state]);
      denied.delete(state);
      for (const { customerId } of stuck)
        log.error({ customerId }, 'A card is stuck: its retries are used up.');
    } catch (error) {
      if (!(error instanceof ProviderError && error.kind === 'denied')) throw error;
      if (denied.size === 0) log.error({ error }, 'The provider denies our key: work on cards is paused.');
      denied.add(state);
      skipped = 0;
    }
  };
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
    deleteOldEvents(db),
    deleteOldApiRequests(db),
    deleteOldSecurityEvents(db, settings.SECURITY_EVENTS_RETENTION_DAYS),
    deleteOldAddresses(db, settings.CLIENT_ADDRESSES_RETENTION_DAYS),
    deleteOldFailedCards(db, settings.FAILED_CARDS_RETENTION_DAYS),
  ]);
}

/** Schedules the next run when one has ended, so that runs do not overlap. */
function repeating(
  log: Services['log'],
  name: string,
  everyMs: number,
  round: () => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const run = async () => {
    await round().catch((error: unknown) =>
      log.warn({ error, task: name }, 'A round of a background job failed.'),
    );
    if (!isStopped) timer = setTimeout(run, everyMs).unref();
  };
  void run();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
