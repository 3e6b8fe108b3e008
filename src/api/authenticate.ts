import { timingSafeEqual } from 'node:crypto';
import { reads } from '#db/client.ts';
import { DomainError } from '#src/errors.ts';
import { tokenHash } from '#src/tokens.ts';
import { customerIdOf, noteCaller } from './callers.ts';
import { clientAddress } from './client-address.ts';
import { type Principal, principalOf } from './principal.ts';
import { findByKey, findBySession, type Include, type KeyRow } from './principal-queries.ts';
import { HttpProblem } from './problems.ts';
import {
  countFailedAuthentication,
  countRequest,
  failureLimits,
  refuseUntil,
  refuseWhenUsedUp,
} from './rate-limits.ts';
import { isSameOrigin } from './same-origin.ts';
import { sessionIdHash } from './session-cookie.ts';
import { noteSecretUse } from './touch-last-used.ts';

export type Authenticated = { principal: Principal; headers: Record<string, string> };
/** What is known of the caller, right or wrong, for the log. */
type Seen = { customerId?: number | undefined };

/**
 * Who calls: by the two headers if either is there, else by the browser's session.
 * @param include what to read in the same statement
 * @param seen where the customer is noted as soon as it is known
 * @returns the caller, and the headers that tell what is left of the budget
 * @throws HttpProblem 401, 403 or 429; DomainError key_unknown, secret_invalid, account_disabled
 */
export async function authenticate(request: Request, include: Include, seen: Seen): Promise<Authenticated> {
  const apiKey = request.headers.get('x-auth-apikey');
  const apiSecret = request.headers.get('x-auth-apisecret');
  const hasKeys = apiKey !== null || apiSecret !== null;
  const idHash = hasKeys ? null : await sessionIdHash(request.headers.get('cookie'));
  const isPair = Boolean(apiKey && apiSecret);
  if (!isPair && !idHash) throw unauthenticated();
  const caller = idHash ? idHash.toString('hex') : (apiKey ?? '');
  seen.customerId = customerIdOf(caller);
  await refuseWhenUsedUp(caller);
  const principal = idHash
    ? await authenticateSession(request, idHash, include, seen)
    : await authenticatePair(
        { apiKey: apiKey ?? '', apiSecret: apiSecret ?? '', address: clientAddress(request) },
        include,
        seen,
      );
  noteCaller(caller, principal.customerId);
  return { principal, headers: await countRequest(caller) };
}

/**
 * @param input.address the client's, for counting failures
 * @throws DomainError key_unknown, secret_invalid, account_disabled; HttpProblem too_many_failures
 */
export async function authenticatePair(
  input: { apiKey: string; apiSecret: string; address: string },
  include: Include,
  seen: Seen = {},
): Promise<Principal> {
  const row = await findByKey(
    reads(),
    include,
    input.apiKey,
    new Date(),
    failureLimits(input.apiKey, input.address),
  );
  if (row) seen.customerId = row.customerId;
  if (row?.blockedUntil) throw refuseUntil(new Date(row.blockedUntil));
  const hash = tokenHash(input.apiSecret);
  const secret = row?.liveSecrets.find((live) => timingSafeEqual(Buffer.from(live.hash, 'hex'), hash));
  if (!row || !secret) {
    await countFailedAuthentication(input.apiKey, input.address);
    if (!row) throw new DomainError('key_unknown', 'No customer has this key.');
    throw new DomainError('secret_invalid', 'The secret is wrong, revoked or expired.');
  }
  refuseInactive(row.status);
  noteSecretUse(secret.id, secret.lastUsedAt === null ? null : new Date(secret.lastUsedAt));
  return principalOf(row, 'keys', secret.id);
}

async function authenticateSession(
  request: Request,
  idHash: Buffer,
  include: Include,
  seen: Seen,
): Promise<Principal> {
  const isProofRequired = request.method !== 'GET' && request.method !== 'HEAD';
  if (!isSameOrigin(request.headers, { isProofRequired })) throw new HttpProblem('cross_site');
  const row = await findBySession(reads(), include, idHash, new Date());
  if (row) seen.customerId = row.customerId;
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
