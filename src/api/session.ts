import { randomBytes } from 'node:crypto';
import type { CustomerRecord } from '#src/customers/customer.ts';
import type { Payout } from '#src/ledger/payout.ts';
import { tokenHash } from '#src/tokens.ts';
import { authenticatePair } from './authenticate.ts';
import { principalOf } from './principal.ts';
import { findBySession } from './principal-queries.ts';
import type { Services } from './services.ts';
import {
  endedCookie,
  lifetimeSeconds,
  type SessionCookie,
  sealedCookie,
  sessionKey,
} from './session-cookie.ts';
import { deleteSession, insertSession } from './session-queries.ts';

/** The signed-in customer and the account data of the dashboard. */
export type Session = CustomerRecord & {
  customerId: number;
  payout: Payout;
  /** When the secret that opened the session was last used, to the minute. */
  secretLastUsedAt: Date | null;
};

/**
 * Signs in with an API key and secret.
 * @param input.address the client address, stored as the customer's `client_ip`
 * @returns the cookie to set
 * @throws DomainError key_unknown, secret_invalid, account_disabled; HttpProblem too_many_failures
 */
export async function openSession(
  services: Services,
  input: {
    apiKey: string;
    apiSecret: string;
    address: string;
  },
): Promise<SessionCookie> {
  const principal = await authenticatePair(services, input, 'nothing');
  const id = randomBytes(24).toString('base64url');
  const expiresAt = new Date(Date.now() + lifetimeSeconds * 1000);
  await insertSession(services.db, {
    idHash: tokenHash(id),
    customerId: principal.customerId,
    secretId: principal.secretId,
    expiresAt,
    address: input.address,
  });
  return sealedCookie(services.settings, principal.customerId, id);
}

/** Ends the session on the server. @returns a cookie that clears the browser's cookie */
export async function closeSession(services: Services, cookieHeader: string | null): Promise<SessionCookie> {
  const key = await sessionKey(services.settings, cookieHeader);
  if (key) await deleteSession(services.db, key);
  return endedCookie(services.settings);
}

/**
 * Reads a request's session, the customer, and the payout in one statement.
 * @param cookieHeader the request's `Cookie`
 * @returns null when there is no session, it has ended, or the account is not active
 */
export async function readSession(services: Services, cookieHeader: string | null): Promise<Session | null> {
  const key = await sessionKey(services.settings, cookieHeader);
  const row = key && (await findBySession(services.reads, 'both', key, new Date()));
  if (row?.status !== 'Active') return null;
  const { customerId, record, payout } = principalOf(row, 'session', row.secretId);
  if (!record || !payout) return null;
  return { customerId, ...record, payout, secretLastUsedAt: row.secretLastUsedAt };
}
