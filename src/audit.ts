import { AsyncLocalStorage } from 'node:async_hooks';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';

/** What an audited change works with: the database, and who makes the change (`operator:anna`). */
export type Context = { db: Database; actor: string };

/** Where changes come from: in the audit, next to the actor. */
export type Origin = {
  channel: 'api' | 'dashboard' | 'cli' | 'provider' | 'service';
  requestId?: string | undefined;
  /** The client's. */
  address?: string | undefined;
};

const origins = new AsyncLocalStorage<Origin>();

/** Records the origin with every change that `run` makes. Without it, the service made the change itself. */
export function withOrigin<Result>(origin: Origin, run: () => Promise<Result>): Promise<Result> {
  return origins.run(origin, run);
}

type AuditedChange = {
  /** `customer` for the customer itself: its username is in one place only, where it can be erased. */
  actor: string;
  action: string | SQL;
  /** Absent for what belongs to no customer. */
  customerId?: SQL;
  /** A slug or a reference; by default the customer. */
  subject?: string | SQL;
  before?: SQL;
  /** By default nothing. */
  after?: SQL;
  /** One entry is written for each of its rows. */
  from: SQL;
};

/** Writes the audit of a change: a CTE of the statement that makes the change. */
export function auditInsert({ actor, action, customerId, subject, before, after, from }: AuditedChange): SQL {
  const { channel, requestId = null, address = null } = origins.getStore() ?? { channel: 'service' };
  return sql`insert into audit (actor, action, customer_id, subject, before, after, channel, request_id, address)
    select ${actor}, ${action}, ${customerId ?? sql`0`}, ${subject ?? sql`null`}, ${before ?? sql`null::jsonb`}, ${after ?? sql`'{}'::jsonb`},
      ${channel}::text, ${requestId}::text, ${address}::text from ${from}`;
}
