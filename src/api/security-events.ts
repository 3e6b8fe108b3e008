import { lte } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { daysAgo, deleteInBatches } from '#db/delete-in-batches.ts';
import { securityEvents } from '#db/schema.ts';
import type { Origin } from '#src/audit.ts';
import type { Metrics } from '#src/metrics.ts';
import { createRowBuffer } from './row-buffer.ts';

/** Named like the actions of the audit. */
export type SecurityEvent = Origin & {
  event:
    | 'authentication.refused'
    | 'cross_site.refused'
    | 'csp.violated'
    | 'lockout.started'
    | 'rotation.refused'
    | 'secret.rotated'
    | 'session.opened'
    | 'session.refused'
    | 'session.closed';
  address: string;
  /** The problem code or outcome of a refusal, or the directive of a violation. */
  reason?: string;
  /** What the content security policy blocked: a scheme or a keyword. */
  blocked?: string;
  isPaymentPage?: boolean;
  customerId?: number | undefined;
  keyPrefix?: string | undefined;
};

/** Logs security events, and stores some: together, and after the response. Failures are limited, so few are left out. */
export function createSecurityEvents(db: Database, log: Logger, metrics?: Metrics) {
  const rows = createRowBuffer(db, log, securityEvents);
  return {
    /** @param isStored for events that cannot be caused without end, and belong to a customer */
    record(event: SecurityEvent, isStored = false): void {
      const isRefusal = event.reason !== undefined;
      log[isRefusal ? 'warn' : 'info'](event, 'security');
      metrics?.security.inc({ event: event.event, reason: event.reason ?? '' });
      const { customerId } = event;
      if (isStored && customerId !== undefined) rows.add({ ...event, customerId, at: new Date() });
    },
    flush: rows.flush,
  };
}

/** The start of an API key, which identifies it for support. Other texts, such as a secret in its place, are left out. */
export function keyPrefixOf(apiKey: string): string | undefined {
  return /^key_(live|test)_[0-9A-Za-z]{4}/.exec(apiKey)?.[0];
}

export function deleteOldSecurityEvents(db: Database, days: number): Promise<void> {
  return deleteInBatches(db, securityEvents, lte(securityEvents.at, daysAgo(days)));
}
