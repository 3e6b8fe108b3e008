/** Where quotas are counted: in each process, or in a store that all processes share. */
import type { createClient } from '@redis/client';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '#db/client.ts';
import { withTimeout } from '#db/with-timeout.ts';
import type { Settings } from '#src/settings.ts';
import { createStoredCounters } from './stored-counter.ts';

/** Of rate-limiter-flexible, or with the same results. */
export type Quota = Pick<RateLimiterMemory, 'points' | 'consume' | 'get'>;

export type QuotaStore = {
  /** @param points per minute */
  quota: (name: string, points: number) => Quota;
  close: () => void;
};

type SharedStore = QuotaStore & {
  /** At the start, and again after each failure. */
  connect: () => Promise<void>;
};

export const quotaSeconds = 60;

const connectMaxMs = 1_000;
const retryMs = 1_000;
const late = () => new Error('The quota store did not respond in time.');

type Options = {
  /** The service's role. */
  db: Database;
  log: Logger;
  /** Called for each request that the process counts by itself. */
  onFallback: () => void;
  /** How long a request waits for the store. */
  waitMaxMs?: number;
};

/**
 * While a shared store fails or is too slow, the process counts by itself, so that no request is refused or waits for it. In
 * the background, it tries the store again every second.
 * Decision: docs/decisions/0037-several-instances.md.
 */
export function openQuotaStore(
  { QUOTA_STORE }: Pick<Settings, 'QUOTA_STORE'>,
  { db, log, onFallback, waitMaxMs = 100 }: Options,
): QuotaStore {
  const inMemory = (points: number) => new RateLimiterMemory({ points, duration: quotaSeconds });
  if (QUOTA_STORE === 'memory') return { quota: (_, points) => inMemory(points), close: () => {} };
  const store =
    QUOTA_STORE === 'database' ? databaseStore(db) : redisStore(QUOTA_STORE, (error) => outage.begin(error));
  const outage = watchOutages(store, log, waitMaxMs);
  store.connect().catch(outage.begin);
  return {
    quota: (name, points) => {
      const shared = store.quota(name, points);
      const own = inMemory(points);
      const ask = async <T>(run: (quota: Quota) => Promise<T>): Promise<T> => {
        try {
          if (!outage.isUnderWay()) return await withTimeout(run(shared), waitMaxMs, late);
        } catch (error) {
          if (error instanceof RateLimiterRes) throw error;
          outage.begin(error);
        }
        onFallback();
        return run(own);
      };
      return {
        points,
        consume: (key) => ask((quota) => quota.consume(key)),
        get: (key) => ask((quota) => quota.get(key)),
      };
    },
    close: () => {
      outage.close();
      store.close();
    },
  };
}

/** An outage begins with a failure, and ends when a count of the process's own succeeds in time. */
function watchOutages(store: SharedStore, log: Logger, waitMaxMs: number) {
  const probe = store.quota('probe', 1_000_000);
  let isUnderWay = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const retry = async () => {
    try {
      await withTimeout(store.connect(), connectMaxMs, late);
      await withTimeout(probe.consume('probe'), waitMaxMs, late);
    } catch {
      schedule();
      return;
    }
    isUnderWay = false;
    log.info('Quotas are counted in the store again.');
  };
  const schedule = () => {
    if (!isClosed) timer = setTimeout(retry, retryMs).unref();
  };
  return {
    isUnderWay: () => isUnderWay,
    begin: (error: unknown) => {
      if (isUnderWay || isClosed) return;
      isUnderWay = true;
      log.error({ error }, 'The quota store failed, so this process counts on its own.');
      schedule();
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** One statement for all requests of a turn of the event loop, because requests of one customer update one row. */
function databaseStore(db: Database): SharedStore {
  const { createCounter } = createStoredCounters(db, quotaSeconds);
  return {
    quota: (name, points) => {
      const counter = createCounter(name, points);
      const stateOf = (consumed: number, msBeforeNext: number) =>
        new RateLimiterRes(Math.max(points - consumed, 0), msBeforeNext, consumed);
      return {
        points,
        consume: async (key) => {
          const { rank, msBeforeNext } = await counter.count(counter.keyOf(String(key)));
          const consumed = rank ?? points + 1;
          const state = stateOf(consumed, msBeforeNext);
          if (consumed > points) throw state;
          return state;
        },
        get: async (key) => {
          const found = await counter.find(counter.keyOf(String(key)));
          return found ? stateOf(found.points, found.msBeforeNext) : null;
        },
      };
    },
    // The pool follows the server by itself.
    connect: async () => {},
    close: () => {},
  };
}

/** A window that is longer than its duration, because the clock of Redis was set back, is over. So is one without an end. */
const countScript = `
  local left = redis.call('pttl', KEYS[1])
  if left == -1 or left > 1000 * ARGV[2] then redis.call('del', KEYS[1]) end
  redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
  return {redis.call('incrby', KEYS[1], ARGV[1]), redis.call('pttl', KEYS[1])}`;

type RedisClient = ReturnType<typeof createClient>;

/** @param onError called also when a connection is lost that no request uses */
function redisStore(url: string, onError: (error: unknown) => void): SharedStore {
  let client: RedisClient | undefined;
  let connected = Promise.resolve();
  let isClosed = false;
  const current = () => {
    if (!client) throw new Error('Redis is not connected.');
    return client;
  };
  // Always a new connection, because TCP takes minutes to notice that the other host of an open one has vanished.
  const open = async () => {
    client?.destroy();
    // Loaded only where it is used, because it takes 60 ms and 20 MB.
    const { createClient } = await import('@redis/client');
    if (isClosed) return;
    client = createClient({
      url,
      disableOfflineQueue: true,
      socket: { connectTimeout: connectMaxMs, reconnectStrategy: false },
      commandOptions: { timeout: 0 },
    });
    client.on('error', onError);
    await client.connect();
  };
  const storeClient = {
    eval: (...command: Parameters<RedisClient['EVAL']>) => current().EVAL(...command),
    multi: () => current().multi(),
  };
  return {
    quota: (name, points) => {
      const limiter = new RateLimiterRedis({
        storeClient,
        useRedisPackage: true,
        keyPrefix: `scheduling:${name}`,
        points,
        duration: quotaSeconds,
        customIncrTtlLuaScript: countScript,
      });
      return {
        points,
        consume: async (key) => {
          await connected;
          return limiter.consume(key);
        },
        get: async (key) => {
          await connected;
          const state = await limiter.get(key);
          return state && state.msBeforeNext > quotaSeconds * 1_000 ? null : state;
        },
      };
    },
    connect: () => {
      connected = open();
      return connected;
    },
    close: () => {
      isClosed = true;
      client?.destroy();
    },
  };
}
