import type { Settings } from '#src/settings.ts';

/** Longer than any statement of a request takes. */
const statementTimeoutMs = 4_000;

/** The pools of requests. */
export function poolLimits({ DATABASE_POOL: connectionsMax, DATABASE_POOLER }: Settings) {
  const shared = { statementTimeoutMs, isPooled: DATABASE_POOLER !== undefined };
  return {
    writes: { ...shared, connectionsMax, isWriting: true },
    /**
     * One busy connection, because pipelined statements cost PostgreSQL less than separate ones.
     * Decision: docs/decisions/0006-reads-share-a-connection.md.
     */
    reads: shared.isPooled
      ? { ...shared, connectionsMax }
      : { ...shared, connectionsMax: 1, statementsPerConnectionMax: 64 },
    /** Of its own, so that failed authentications are not held up by writes that wait for row locks. */
    limits: { ...shared, connectionsMax: 2, isWriting: true },
  };
}
