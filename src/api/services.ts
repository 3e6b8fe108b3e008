import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import { openPool, type Pool } from '#db/client.ts';
import { holdInstanceLock } from '#db/instance-lock.ts';
import { refuseWrongPooler } from '#db/pooler.ts';
import { followReplica, type Replica } from '#db/replica.ts';
import { apiRequests } from '#db/schema.ts';
import { followServer, type Server } from '#db/server.ts';
import { countBacklog } from '#src/cards/list-cards.ts';
import { createLogger } from '#src/log.ts';
import { createMetrics } from '#src/metrics.ts';
import { createCardProvider, createEventVerifier, createStripe } from '#src/payments/stripe.ts';
import { measureProvider } from '#src/payments/trace.ts';
import { readSettings, type Settings } from '#src/settings.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import { createKeyReads } from './key-reads.ts';
import { createLastUses } from './last-uses.ts';
import { poolLimits } from './pool-limits.ts';
import { openQuotaStore } from './quota-store.ts';
import { createRateLimits } from './rate-limits.ts';
import { createReadiness } from './readiness.ts';
import { createRowBuffer } from './row-buffer.ts';
import { createSecurityEvents } from './security-events.ts';
import { createSessionReads } from './session-queries.ts';

/** CSV and PDF downloads of a customer at a time. */
const exportsMax = 2;
/** Filtered pages of transactions of a customer at a time: they can read all of its entries. */
const searchesMax = 2;
/** Address searches per customer at a time. */
const addressSearchesMax = 2;

export type Services = ReturnType<typeof createServices>;

/**
 * The dependencies of all functions, created once per process and passed down.
 * @throws Error if LOG_FILE cannot be written or a required setting is missing
 */
export function createServices(settings: Settings) {
  const { DATABASE_URL, STRIPE_WEBHOOK_SECRET, STRIPE_WEBHOOK_SECRET_2 } = settings;
  if (!DATABASE_URL) throw new Error('DATABASE_URL is not set. Start the service with `npm start`.');
  const log = createLogger(settings);
  log.info({ mode: settings.mode }, 'The service is starting.');
  const sizes = poolLimits(settings);
  const server = followServer(DATABASE_URL, 'primary', sizes.writes.isPooled);
  const writingCustomer = new AsyncLocalStorage<number>();
  const pool = openPool(server, { ...sizes.writes, customerId: () => writingCustomer.getStore() });
  const reads = openPool(server, sizes.reads);
  const limits = openPool(server, sizes.limits);
  const keyReads = createKeyReads(reads.db);
  const sessionReads = createSessionReads(reads.db, settings.SESSION_IDLE_MINUTES);
  const replica = openReplica(settings, log, server, pool);
  const stripe = createStripe(settings);
  const readStats = () => {
    const { running, waiting } = reads.stats();
    return { running, waiting: waiting + keyReads.waitingCount() + sessionReads.waitingCount() };
  };
  const limitStats = () => {
    const { running, waiting } = limits.stats();
    return { running, waiting: waiting + rateLimits.waitingCount() };
  };
  const pools = {
    writes: pool.stats,
    reads: readStats,
    limits: limitStats,
    ...(replica.stats && { replica: replica.stats }),
  };
  const sources = { pools, backlog: () => countBacklog(pool.db) };
  const metrics = settings.METRICS_PORT === undefined ? undefined : createMetrics(sources);
  const quotas = openQuotaStore(settings, {
    db: limits.db,
    log,
    onFallback: () => metrics?.quotaFallbacks.inc(),
  });
  const rateLimits = createRateLimits(limits.db, settings, quotas);
  const securityEvents = createSecurityEvents(pool.db, log, metrics);
  const requests = createRowBuffer(pool.db, log, apiRequests);
  const instance = holdInstanceLock(server);
  return {
    settings,
    log,
    db: pool.db,
    instanceId: instance.instanceId,
    /** For the reads that every request begins with, which do not wait for row locks. */
    reads: reads.db,
    /** Over the same connection, for callers with an API key. */
    keyReads,
    sessionReads,
    lastUses: createLastUses(pool.db, log),
    replicaReads: replica,
    provider: measureProvider(createCardProvider(stripe), metrics),
    verifyEvent: createEventVerifier(stripe, STRIPE_WEBHOOK_SECRET, STRIPE_WEBHOOK_SECRET_2),
    rateLimits,
    securityEvents,
    /** For the API access page. The log has all. */
    apiRequests: requests,
    exports: createConcurrencyLimit(exportsMax),
    searches: createConcurrencyLimit(searchesMax),
    addressSearches: createConcurrencyLimit(addressSearchesMax),
    /** The `Idempotency-Key`s of this process's requests, each after its customer. */
    runningKeys: new Set<string>(),
    /** The customer whose request changes something. */
    writingCustomer,
    /** The page that a request renders on our host, and whether it failed because of the database. */
    page: new AsyncLocalStorage<{ isUnavailable: boolean }>(),
    /** Aborted when the process begins to stop. It still serves then, but is not ready. */
    stopping: new AbortController(),
    /** @throws Error while requests would fail */
    checkReadiness: createReadiness(server, [pool, reads, limits]),
    /** With METRICS_PORT. */
    metrics,
    close: async () => {
      quotas.close();
      await Promise.all([securityEvents.flush(), requests.flush()]);
      await Promise.all([replica, pool, limits, reads, instance, server].map((open) => open.close()));
    },
  };
}

type ReplicaReads = Pick<Replica, 'read'> & { stats?: Pool['stats']; close: () => Promise<void> };

function openReplica(settings: Settings, log: Logger, primary: Server, primaryPool: Pool): ReplicaReads {
  const { DATABASE_REPLICA_URL, DATABASE_REPLICA_LAG_SECONDS } = settings;
  if (!DATABASE_REPLICA_URL)
    return { read: (run) => run(primaryPool.db, () => false), close: async () => {} };
  const limits = poolLimits(settings).writes;
  const replica = followServer(DATABASE_REPLICA_URL, 'standby', limits.isPooled);
  const replicaPool = openPool(replica, limits, { isIdleWatched: true });
  const lagMaxMs = DATABASE_REPLICA_LAG_SECONDS * 1_000;
  // The start may not have reached it.
  const probe = () => refuseWrongPooler(replicaPool, limits, 'DATABASE_REPLICA_URL');
  const onChange = (isUsed: boolean, error?: unknown) => {
    if (error) log.error({ error }, 'The replica is not used.');
    else log.info(isUsed ? 'The replica is used.' : 'The replica is too old or does not respond.');
  };
  const follower = followReplica({ primary, replica, primaryPool, replicaPool, probe, lagMaxMs, onChange });
  const close = async () => {
    follower.close();
    await Promise.all([replicaPool.close(), replica.close()]);
  };
  return { ...follower, close, stats: replicaPool.stats };
}

const key = Symbol.for('scheduling-service.services');
const shared = globalThis as { [key]?: Services };

/**
 * The services of the process, stored on the global object because Next's bundle has copies of every module. A plain
 * `next start` creates them here, from the environment.
 */
export function services(): Services {
  shared[key] ??= createServices(readSettings(process.env));
  return shared[key];
}

/** Whether our host runs in this process. */
export const areServicesProvided = () => shared[key] !== undefined;

export function provideServices(provided: Services): Services {
  shared[key] = provided;
  return provided;
}
