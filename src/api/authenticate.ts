import { timingSafeEqual } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { secrets } from '#db/schema.ts';
import { DomainError } from '#src/errors.ts';
import { tokenHash } from '#src/tokens.ts';
import { clientAddress } from './client-address.ts';
import type { Context, Middleware } from './operation.ts';
import { type Principal, principalOf } from './principal.ts';
import { findByKey, findBySession, type Include, type KeyRow } from './principal-queries.ts';
import { HttpProblem } from './problems.ts';
import { countFailedAuthentication } from './rate-limits.ts';
import { isSameOrigin } from './same-origin.ts';
import type { Services } from './services.ts';
import { type SessionKey, sessionKey } from './session-cookie.ts';

/** The caller for the log, authenticated or not. */
type CallerLog = { customerId?: number | undefined };

/**
 * Authenticates by the two headers if either is present, or else by the browser session.
 * Failures: 401, 403, 429; key_unknown, secret_invalid, account_disabled.
 */
export const authenticate: Middleware =
  ({ reads = 'nothing' }) =>
  async (context, next) => {
    context.principal = await principalOfRequest(context, reads);
    return next(context);
  };

async function principalOfRequest({ services, request, log }: Context, include: Include): Promise<Principal> {
  const apiKey = request.headers.get('x-auth-apikey');
  const apiSecret = request.headers.get('x-auth-apisecret');
  if (apiKey && apiSecret)
    return authenticatePair(services, { apiKey, apiSecret, address: clientAddress(request) }, include, log);
  const hasNeitherHeader = apiKey === null && apiSecret === null;
  const session = hasNeitherHeader
    ? await sessionKey(services.settings, request.headers.get('cookie'))
    : null;
  if (!session) throw unauthenticated();
  return authenticateSession(services, request, session, include, log);
}

/**
 * @param input.address the client's, for counting failures
 * @throws DomainError key_unknown, secret_invalid, account_disabled; HttpProblem too_many_failures
 */
export async function authenticatePair(
  services: Services,
  input: { apiKey: string; apiSecret: string; address: string },
  include: Include,
  log: CallerLog = {},
): Promise<Principal> {
  const row = await findByKey(services.reads, include, input.apiKey, new Date());
  if (row) log.customerId = row.customerId;
  const hash = tokenHash(input.apiSecret);
  const secret = row?.liveSecrets.find((live) => timingSafeEqual(Buffer.from(live.hash, 'hex'), hash));
  if (!row || !secret) {
    // Compared first: the right pair is never refused because of somebody's wrong ones.
    await countFailedAuthentication(services.rateLimits, {
      apiKey: input.apiKey,
      isKeyKnown: row !== undefined,
      address: input.address,
    });
    if (!row) throw new DomainError('key_unknown', 'No customer has this key.');
    throw new DomainError('secret_invalid', 'The secret is wrong, revoked or expired.');
  }
  refuseInactive(row.status);
  touchLastUsed(
    services,
    row.customerId,
    secret.id,
    secret.lastUsedAt === null ? null : new Date(secret.lastUsedAt),
  );
  return principalOf(row, 'keys', secret.id);
}

async function authenticateSession(
  services: Services,
  request: Request,
  session: SessionKey,
  include: Include,
  log: CallerLog,
): Promise<Principal> {
  // The cookie is sealed, so it names the customer even if the session has ended.
  log.customerId = session.customerId;
  const isProofRequired = request.method !== 'GET' && request.method !== 'HEAD';
  if (!isSameOrigin(services.settings, request.headers, { isProofRequired }))
    throw new HttpProblem('cross_site');
  const row = await findBySession(services.reads, include, session, new Date());
  // Deactivating the customer ends the session as revoking its secret does.
  if (row?.status !== 'Active') throw unauthenticated();
  return principalOf(row, 'session', row.secretId);
}

function refuseInactive(status: KeyRow['status']): void {
  if (status !== 'Active') throw new DomainError('account_disabled', `The customer is ${status}.`);
}

function unauthenticated(): HttpProblem {
  return new HttpProblem('authentication_required', {
    headers: { 'WWW-Authenticate': 'ApiKey realm="schedule", headers="X-AUTH-APIKEY X-AUTH-APISECRET"' },
  });
}

const precisionMs = 60_000;
const touchedAtMs = new LRUCache<number, number>({ max: 10_000 });

/**
 * Records when a secret was last used. The response does not wait for it, and each secret costs at most one write per
 * minute.
 * @param lastUsedAt as stored
 */
function touchLastUsed(
  { db, log }: Services,
  customerId: number,
  secretId: number,
  lastUsedAt: Date | null,
): void {
  const now = Date.now();
  if (now - Math.max(lastUsedAt?.getTime() ?? 0, touchedAtMs.get(secretId) ?? 0) < precisionMs) return;
  touchedAtMs.set(secretId, now);
  db.update(secrets)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(secrets.customerId, customerId), eq(secrets.id, secretId)))
    .catch((error: unknown) => log.warn({ error }, 'The last use of a secret could not be recorded.'));
}
