import { type Database, db } from '#db/client.ts';
import { deleteExpiredKeys } from '#src/api/idempotency-queries.ts';
import { deleteEndedSessions } from '#src/api/session-queries.ts';
import { deleteOldEvents } from '#src/cards/apply-event.ts';
import type { UnfinishedState } from '#src/cards/card-queries.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { syncZoneMonths } from '#src/ledger/zone-months.ts';
import { log } from '#src/log.ts';
import { ProviderError } from '#src/payments/provider.ts';
import { cardProvider } from '#src/payments/stripe.ts';

const completeEveryMs = 5_000;
/** For a minute the completer leaves a provider alone that denies our key. */
const roundsSkipped = 60_000 / completeEveryMs;
const reapEveryMs = 10 * 60_000;
/** Data of time zones come with updates of Node and of PostgreSQL. */
const zonesEveryMs = 24 * 3_600_000;

const key = Symbol.for('scheduling-service.housekeeping');
const shared = globalThis as { [key]?: () => void };

/**
 * Finishes what crashed or unreachable providers left behind, and deletes what has expired: at once and on a timer.
 * Every instance may do it; a process does it once, however many copies of this module it has loaded.
 * @returns stops it
 */
export function startHousekeeping(): () => void {
  shared[key] ??= start();
  return shared[key];
}

function start(): () => void {
  const denied = new Set<UnfinishedState>();
  const stops = [
    repeating('removals', completeEveryMs, completer('removing', denied)),
    repeating('additions', completeEveryMs, completer('pending', denied)),
    repeating('reaper', reapEveryMs, () => reap(db())),
    repeating('zones', zonesEveryMs, async () => {
      await syncZoneMonths(db());
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    delete shared[key];
  };
}

/**
 * A round of the completer, for removals or for additions.
 * @param denied those for which the provider denied our key in the last round; the log is told of the first alone
 */
function completer(state: UnfinishedState, denied: Set<UnfinishedState>): () => Promise<void> {
  let skipped = 0;
  return async () => {
    if (denied.has(state) && skipped++ < roundsSkipped) return;
    try {
      const stuck = await completeCards({ db: db(), provider: cardProvider }, [state]);
      denied.delete(state);
      for (const { customerId } of stuck)
        log().error({ customerId }, 'A card is stuck: its retries are used up.');
    } catch (error) {
      if (!(error instanceof ProviderError && error.kind === 'denied')) throw error;
      if (denied.size === 0) log().error({ error }, 'The provider denies our key: work on cards is paused.');
      denied.add(state);
      skipped = 0;
    }
  };
}

async function reap(database: Database): Promise<void> {
  await Promise.all([deleteExpiredKeys(database), deleteEndedSessions(database), deleteOldEvents(database)]);
}

/** The next round is planned when one has ended, so that rounds never overlap. */
function repeating(name: string, everyMs: number, round: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const run = async () => {
    await round().catch((error: unknown) =>
      log().warn({ error, task: name }, 'A round of housekeeping failed.'),
    );
    if (!isStopped) timer = setTimeout(run, everyMs).unref();
  };
  void run();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
