import { type Database, db } from '#db/client.ts';
import { deleteExpiredKeys } from '#src/api/idempotency-queries.ts';
import { deleteEndedSessions } from '#src/api/session-queries.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { deleteOldEvents } from '#src/cards/provider-event-queries.ts';
import { agreeOnZones } from '#src/ledger/zone-months.ts';
import { log } from '#src/log.ts';
import { cardProvider } from '#src/payments/stripe.ts';

const completeEveryMs = 5_000;
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
  const stops = [
    repeating('completer', completeEveryMs, async () => {
      await completeCards({ db: db(), provider: cardProvider });
    }),
    repeating('reaper', reapEveryMs, () => reap(db())),
    repeating('zones', zonesEveryMs, async () => {
      await agreeOnZones(db());
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    delete shared[key];
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
