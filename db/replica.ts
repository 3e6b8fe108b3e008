import type { Database, Pool } from './client.ts';
import { isCanceled } from './errors.ts';
import type { Server } from './server.ts';

/** For what may be some seconds old: never credentials, sessions, limits, or what the caller has just written. */
export type Replica = {
  /**
   * Reads from the replica, or from the primary if the replica is too old or fails, but not again what took too long.
   * @param run can keep `isReplaced`, which says whether later statements may get older rows, from another replica
   */
  read: <T>(run: (db: Database, isReplaced: () => boolean) => Promise<T>) => Promise<T>;
  close: () => void;
};

type Options = {
  primary: Server;
  replica: Server;
  primaryPool: Pool;
  replicaPool: Pool;
  /** Rejects if the pool could give wrong results. Runs before the pool is used, and again when its connections were replaced. */
  probe: () => Promise<void>;
  lagMaxMs: number;
  /** @param why it is not used, if the probe failed */
  onChange: (isUsed: boolean, why?: unknown) => void;
};

const everyMs = 1_000;

/**
 * Follows how far a replica is behind: once a second, the primary's position in the write-ahead log is noted, and the newest
 * one that the replica has replayed says as of when its rows are. A clock is not compared with another machine's.
 * Decision: docs/decisions/0033-replica.md.
 */
export function followReplica(options: Options): Replica {
  const { primary, replica, primaryPool, replicaPool, probe, lagMaxMs, onChange } = options;
  let positions: { atMs: number; position: bigint }[] = [];
  let asOfMs = -Infinity;
  /** Undefined until the first probe has succeeded. */
  let probedGeneration: number | undefined;
  let failure: unknown;
  let isUsed = false;
  let isClosed = false;
  const compare = async () => {
    const atMs = performance.now();
    let [written, replayed]: (bigint | undefined)[] = [];
    await primary.check(async (client) => {
      const [row] = await client.unsafe('select pg_current_wal_lsn()::text as position');
      written = positionOf(row?.position);
    });
    const { isStandby } = await replica.check(async (client) => {
      const [row] = await client.unsafe('select pg_last_wal_replay_lsn()::text as position');
      replayed = positionOf(row?.position);
    });
    if (written !== undefined) positions.push({ atMs, position: written });
    positions = positions.filter((one) => atMs - one.atMs <= lagMaxMs);
    const known = positions.findLast(({ position }) => replayed !== undefined && position <= replayed);
    if (isStandby && known) asOfMs = known.atMs;
  };
  const probeNewConnections = async () => {
    const generation = replica.generation();
    if (!isRecent() || generation === probedGeneration) return;
    try {
      await probe();
      probedGeneration = generation;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
  };
  const run = async () => {
    const lastFailure = failure;
    // A server that does not respond leaves the time where it is.
    await compare().catch(() => {});
    if (!isClosed) await probeNewConnections();
    if (isClosed) return;
    const wasUsed = isUsed;
    isUsed = isUsable();
    if (isUsed !== wasUsed || String(failure) !== String(lastFailure)) onChange(isUsed, failure);
    setTimeout(run, everyMs).unref();
  };
  const isRecent = () => performance.now() - asOfMs <= lagMaxMs;
  const isUsable = () => isRecent() && probedGeneration === replica.generation();
  void run();
  return {
    read: async (query) => {
      const onPrimary = () => query(primaryPool.db, () => false);
      if (!isUsable()) return onPrimary();
      const generation = replica.generation();
      return query(replicaPool.db, () => replica.generation() !== generation).catch((error: unknown) => {
        if (isCanceled(error)) throw error;
        return onPrimary();
      });
    },
    close: () => {
      isClosed = true;
    },
  };
}

/** @param text such as `16/B374D848` */
function positionOf(text: unknown): bigint | undefined {
  const [, high, low] = /^([0-9A-F]+)\/([0-9A-F]+)$/.exec(String(text)) ?? [];
  return high && low ? (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`) : undefined;
}
