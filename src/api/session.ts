import { randomBytes } from 'node:crypto';
import { isNoDataFound } from '#db/errors.ts';
import { withOrigin } from '#src/audit.ts';
import { type OwnRotationOutcome, rotateOwnSecret } from '#src/customers/rotate-secret.ts';
import { tokenHash } from '#src/tokens.ts';
import {
  type ApiCredentials,
  authenticateCredentials,
  findBySession,
  recordRefusal,
} from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { deviceOf } from './device.ts';
import { delayRefusal, formDelayMaxMs } from './failure-limits.ts';
import type { CallerLog } from './operation.ts';
import { type Principal, pageDataOf } from './principal.ts';
import { HttpProblem } from './problems.ts';
import { countRequest, countSignIn, refusalOfRequest } from './rate-limits.ts';
import { isSameOrigin } from './same-origin.ts';
import type { Services } from './services.ts';
import {
  endedCookie,
  lifetimeSeconds,
  type SessionCookie,
  type SessionKey,
  sealedCookie,
  sessionKey,
} from './session-cookie.ts';
import { deleteSession, insertSession } from './session-queries.ts';

/** The signed-in customer and the account data of the dashboard. */
export type Session = NonNullable<ReturnType<typeof pageDataOf>> & {
  customerId: number;
  /** SHA-256 of the session's ID. */
  idHash: Buffer;
};

/** The browser, for the audit and the log. */
export type Client = { address: string; requestId?: string | undefined };

const originOf = ({ address, requestId }: Client) => ({ channel: 'dashboard' as const, address, requestId });

/** @param headers of a page's request: the listener has verified the address, and `proxy.ts` sets the request ID */
export function clientOf(headers: Headers): Client {
  return {
    address: clientAddress({ headers }),
    requestId: headers.get('x-request-id') ?? undefined,
  };
}

/** Whether a form was not sent by one of our pages, which is recorded. */
export function isCrossSite(services: Services, headers: Headers): boolean {
  if (isSameOrigin(services.settings, headers, { isProofRequired: true })) return false;
  recordRefusal(services, new HttpProblem('cross_site'), originOf(clientOf(headers)));
  return true;
}

/**
 * Signs in with an API key and secret.
 * @param input.address the client address, stored as the customer's `client_ip`
 * @param input.headers the request's: of the session that the browser had before, and of the browser
 * @returns the cookie to set
 * @throws HttpProblem key_unknown, secret_invalid, account_disabled, too_many_failures, too_many_requests
 */
export async function openSession(
  services: Services,
  input: ApiCredentials & Client & { headers?: Headers },
): Promise<SessionCookie> {
  const { address, headers } = input;
  const origin = originOf(input);
  const caller: CallerLog = {};
  const { customerId, secretId } = await authenticateForm(services, input, origin, caller, 'session.refused');
  await countSignIn(services.rateLimits, customerId);
  const id = randomBytes(24).toString('base64url');
  const session = {
    idHash: tokenHash(id),
    customerId,
    secretId,
    lifetimeSeconds: lifetimeSeconds(services.settings),
    device: deviceOf(headers?.get('user-agent') ?? ''),
    address,
    previous: await sessionKey(services.settings, headers?.get('cookie') ?? null),
  };
  await services.writingCustomer
    .run(customerId, () => withOrigin(origin, () => insertSession(services.db, session)))
    .catch(throwAccountDisabled);
  services.securityEvents.record({ ...caller, ...origin, event: 'session.opened' });
  return sealedCookie(services.settings, customerId, id);
}

/** The customer has been deactivated or erased since the secret was checked. */
function throwAccountDisabled(cause: unknown): never {
  throw isNoDataFound(cause) ? new HttpProblem('account_disabled', { cause }) : cause;
}

/** Authenticates the credentials of a form. Records and delays refusals. */
async function authenticateForm(
  services: Services,
  credentials: ApiCredentials,
  origin: ReturnType<typeof originOf>,
  caller: CallerLog,
  refused?: 'session.refused',
): Promise<Principal> {
  try {
    return await authenticateCredentials(services, credentials, origin, 'nothing', caller);
  } catch (error) {
    recordRefusal(services, error, { ...caller, ...origin }, refused);
    await delayRefusal(services.rateLimits, error, { address: origin.address, delayMaxMs: formDelayMaxMs });
    throw error;
  }
}

/**
 * Ends the session on the server.
 * @param client.everywhereOf ends all sessions of this customer, if the browser's is one of them and has not ended
 * @returns a cookie that clears the browser's cookie, or null when all were to end, but could not
 */
export async function closeSession(
  services: Services,
  cookieHeader: string | null,
  client: Client & { everywhereOf?: number },
): Promise<SessionCookie | null> {
  const key = await sessionKey(services.settings, cookieHeader);
  const { everywhereOf } = client;
  const isEverywhere = everywhereOf !== undefined;
  const isTheirs = key?.customerId === everywhereOf;
  if (isEverywhere && !(key && isTheirs && (await findBySession(services, 'nothing', key)))) return null;
  if (key) await closeKey(services, key, client, { isEverywhere });
  return endedCookie(services.settings);
}

/**
 * Ends one of a customer's sessions, if the browser's is another one that has not ended. Counts toward the customer's quota.
 * @param id the SHA-256 of the session's ID, in hexadecimal
 */
export async function endSession(
  services: Services,
  cookieHeader: string | null,
  { id, customerId, ...client }: Client & { id: string; customerId: number },
): Promise<void> {
  const own = await sessionKey(services.settings, cookieHeader);
  // The browser may have signed in to another account since its page was rendered.
  if (own?.customerId !== customerId) return;
  if (await refusalOfRequest(services.rateLimits, customerId)) return;
  if (!(await findBySession(services, 'nothing', own))) return;
  await countRequest(services.rateLimits, customerId);
  const key = { customerId, idHash: Buffer.from(id, 'hex') };
  await closeKey(services, key, client);
}

async function closeKey(
  services: Services,
  key: SessionKey,
  client: Client,
  { isEverywhere = false } = {},
): Promise<void> {
  const origin = originOf(client);
  const { customerId } = key;
  const wasOpen = await services.writingCustomer.run(customerId, () =>
    withOrigin(origin, () => deleteSession(services.db, key, { isEverywhere })),
  );
  if (wasOpen) services.securityEvents.record({ ...origin, event: 'session.closed', customerId });
}

/**
 * Reads a request's session, the customer, and the payout in one statement.
 * @param cookieHeader the request's `Cookie`
 * @returns null when there is no session, it has ended, or the account is not active
 */
export async function readSession(services: Services, cookieHeader: string | null): Promise<Session | null> {
  const key = await sessionKey(services.settings, cookieHeader);
  const row = key && (await findBySession(services, 'page', key));
  if (!key || row?.status !== 'Active') return null;
  const data = pageDataOf(row);
  return data && { ...data, customerId: row.customerId, idHash: key.idHash };
}

/**
 * Reads the session for a page that is public, and counts the request toward the customer's quota.
 * @returns null also when the quota is used up
 */
export async function readSessionWithinQuota(
  services: Services,
  cookieHeader: string | null,
): Promise<Session | null> {
  const { settings, rateLimits } = services;
  const key = await sessionKey(settings, cookieHeader);
  if (!key || (await refusalOfRequest(rateLimits, key.customerId))) return null;
  const session = await readSession(services, cookieHeader);
  // Only now, because the cookie of a session that has ended names the customer, too.
  if (session) await countRequest(rateLimits, session.customerId);
  return session;
}

/**
 * Rotates the secret of a signed-in customer, who confirms it with a valid one. Wrong ones count as failed
 * authentications.
 * @throws HttpProblem secret_invalid, account_disabled, too_many_failures
 */
export async function rotateSessionSecret(
  services: Services,
  { customerId, customer, idHash }: Session,
  input: Client & { currentSecret: string; newestSecretId: number },
): Promise<OwnRotationOutcome> {
  const caller: CallerLog = {};
  const origin = originOf(input);
  const credentials = { apiKey: customer.apiKey, apiSecret: input.currentSecret };
  await authenticateForm(services, credentials, origin, caller);
  const mode = services.settings.mode === 'live' ? 'live' : 'test';
  const rotated = await services.writingCustomer.run(customerId, () =>
    rotateOwnSecret(services.db, { ...input, customerId, sessionIdHash: idHash, mode }),
  );
  const { outcome } = rotated;
  services.securityEvents.record({
    ...{ ...origin, customerId, keyPrefix: caller.keyPrefix },
    ...(outcome === 'rotated' ? { event: 'secret.rotated' } : { event: 'rotation.refused', reason: outcome }),
  });
  return rotated;
}
