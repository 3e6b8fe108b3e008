import { timingSafeEqual } from 'node:crypto';
import type { Origin } from '#src/audit.ts';
import type { ProblemCode } from '#src/errors.ts';
import { tokenHash } from '#src/tokens.ts';
import { clientAddress, networkOf } from './client-address.ts';
import { countFailedAuthentication, delayRefusal } from './failure-limits.ts';
import type { ApiRequest } from './messages.ts';
import type { CallerLog, Middleware, RequestContext } from './operation.ts';
import { type Include, type Principal, principalOf } from './principal.ts';
import { HttpProblem, toProblem } from './problems.ts';
import { isSameOrigin } from './same-origin.ts';
import { keyPrefixOf, type SecurityEvent } from './security-events.ts';
import type { Services } from './services.ts';
import { type SessionKey, sessionKey } from './session-cookie.ts';

/**
 * Refusals of credentials. Other failures, such as of the database, say nothing of the caller, and of a request without
 * credentials its own line in the log says everything.
 */
const refusals: ReadonlySet<ProblemCode> = new Set([
  'key_unknown',
  'secret_invalid',
  'account_disabled',
  'too_many_failures',
  'cross_site',
]);

/** Shared, because the stack of a new error takes longer than the rest of a refusal, and is not logged. */
const unauthenticated = new HttpProblem('authentication_required', {
  headers: { 'WWW-Authenticate': 'ApiKey realm="schedule", headers="X-AUTH-APIKEY X-AUTH-APISECRET"' },
});
const keyUnknown = new HttpProblem('key_unknown');
const secretInvalid = new HttpProblem('secret_invalid');
const accountDisabled = new HttpProblem('account_disabled');

/**
 * Records a refused authentication. Only a wrong secret of a known key is stored, from a client that is not blocked, so
 * that others cannot fill the database.
 */
export function recordRefusal(
  { securityEvents }: Services,
  error: unknown,
  caller: Omit<SecurityEvent, 'event' | 'reason'>,
  refused: 'authentication.refused' | 'session.refused' = 'authentication.refused',
): void {
  const { code } = toProblem(error);
  if (!refusals.has(code)) return;
  const event = code === 'cross_site' ? 'cross_site.refused' : refused;
  securityEvents.record({ ...caller, event, reason: code }, code === 'secret_invalid');
}

/**
 * Authenticates by the two headers if either is present, or else by the browser session.
 * Failures: 401, 403, 429; key_unknown, secret_invalid, account_disabled.
 */
export const authenticate: Middleware =
  ({ reads = 'nothing' }) =>
  async (context, next) => {
    const { services, request, requestId, log } = context;
    try {
      context.principal = await principalOfRequest(context, reads);
    } catch (error) {
      const { customerId, channel = 'api', keyPrefix } = log;
      const address = clientAddress(request);
      recordRefusal(services, error, { customerId, channel, keyPrefix, address, requestId });
      await delayRefusal(services.rateLimits, error, { address, request });
      throw error;
    }
    return next(context);
  };

async function principalOfRequest(
  { services, request, requestId, log }: RequestContext,
  include: Include,
): Promise<Principal> {
  const apiKey = request.headers.get('x-auth-apikey');
  const apiSecret = request.headers.get('x-auth-apisecret');
  if (apiKey && apiSecret) {
    const origin = { channel: 'api' as const, address: clientAddress(request), requestId };
    return authenticateCredentials(services, { apiKey, apiSecret }, origin, include, log);
  }
  const hasNeitherHeader = apiKey === null && apiSecret === null;
  const session = hasNeitherHeader
    ? await sessionKey(services.settings, request.headers.get('cookie'))
    : null;
  if (!session) throw unauthenticated;
  return authenticateSession(services, request, session, include, log);
}

export type ApiCredentials = { apiKey: string; apiSecret: string };

/**
 * @param origin.address the client's, for counting failures
 * @param log gets what is known of the caller
 * @throws HttpProblem key_unknown, secret_invalid, account_disabled, too_many_failures
 */
export async function authenticateCredentials(
  services: Services,
  { apiKey, apiSecret }: ApiCredentials,
  origin: Origin & { address: string },
  include: Include,
  log: CallerLog,
): Promise<Principal> {
  log.channel = origin.channel;
  log.keyPrefix = keyPrefixOf(apiKey);
  const network = networkOf(origin.address);
  // Valid credentials among the wrong ones of a blocked client must not be refused for them.
  const isOverloadExempt = services.rateLimits.blockedNetworks.has(network);
  const row = await services.keyReads.find(include, apiKey, network, { isOverloadExempt });
  if (row) log.customerId = row.customerId;
  const hash = tokenHash(apiSecret);
  const secret = row?.liveSecrets.find((live) => timingSafeEqual(Buffer.from(live.hash, 'hex'), hash));
  if (!row || !secret) {
    // Compared first: valid credentials are never refused because of somebody's wrong ones.
    await countFailedAuthentication(
      services.rateLimits,
      { apiKey, isKeyKnown: row !== undefined, address: origin.address },
      () => {
        const { customerId, keyPrefix } = log;
        const reason = 'too_many_failures';
        const event = { ...origin, customerId, keyPrefix, event: 'lockout.started' as const, reason };
        services.securityEvents.record(event, true);
      },
    );
    throw row ? secretInvalid : keyUnknown;
  }
  if (row.status !== 'Active') throw accountDisabled;
  const { id, lastUsedAt } = secret;
  services.lastUses.ofSecret(row.customerId, id, new Date(lastUsedAt ?? 0));
  return principalOf(row, 'keys', id);
}

async function authenticateSession(
  services: Services,
  request: ApiRequest,
  session: SessionKey,
  include: Include,
  log: CallerLog,
): Promise<Principal> {
  // The cookie is sealed, so it names the customer even if the session has ended.
  log.customerId = session.customerId;
  log.channel = 'dashboard';
  const isProofRequired = request.method !== 'GET' && request.method !== 'HEAD';
  if (!isSameOrigin(services.settings, request.headers, { isProofRequired }))
    throw new HttpProblem('cross_site');
  // A page that was rendered before the browser signed in to another account.
  const expected = request.headers.get('x-session-customer');
  if (expected !== null && expected !== String(session.customerId)) throw unauthenticated;
  const row = await findBySession(services, include, session);
  // Deactivating the customer ends the session as revoking its secret does.
  if (row?.status !== 'Active') throw unauthenticated;
  return principalOf(row, 'session', row.secretId);
}

/** The customer of a session that has not ended. Records the use of the session. */
export async function findBySession(services: Services, include: Include | 'page', key: SessionKey) {
  const row = await services.sessionReads.find(include, key);
  if (row) services.lastUses.ofSession(key, row.sessionLastUsedAt);
  return row;
}
