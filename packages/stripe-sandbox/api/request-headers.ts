/** Checks of the request headers: the API key and the API version. */
import { timingSafeEqual } from 'node:crypto';
import { invalidParameter, secretKeyRequired, unauthenticated } from './errors.ts';

/** The version of the installed SDK: of responses and events, unless the request names another. */
export const API_VERSION = '2026-10-28.endive';

const NO_KEY =
  "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we can help at https://support.stripe.com/.";

export type Keys = { secretKey: string; publishableKey: string };

/** Compares in constant time. */
export function isSameKey(key: string, expected: string): boolean {
  const [a, b] = [Buffer.from(key), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * @param authorization the `Authorization` header: Bearer, or Basic with the key as the username
 * @param parameter the key as the parameter `key`, which a browser may send instead of the header
 * @param isPublic whether the publishable key is enough
 * @throws StripeApiError 401 for a missing or unknown key, 403 for the publishable key when it is not enough
 */
export function authenticate(
  keys: Keys,
  authorization: string | undefined,
  parameter: string | undefined,
  isPublic: boolean,
): void {
  const key = keyOf(authorization) ?? parameter;
  if (!key) throw unauthenticated(NO_KEY);
  if (isSameKey(key, keys.secretKey)) return;
  if (!isSameKey(key, keys.publishableKey))
    throw unauthenticated(`Invalid API Key provided: ${maskKey(key)}`);
  if (!isPublic) throw secretKeyRequired();
}

function keyOf(authorization: string | undefined): string | undefined {
  const bearer = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer.trim();
  const basic = /^Basic (.+)$/i.exec(authorization ?? '')?.[1];
  return basic && Buffer.from(basic, 'base64').toString().split(':')[0];
}

/** @returns the key's kind and its last four characters */
function maskKey(key: string): string {
  const kind = /^[a-z]+_(?:test|live)_/.exec(key)?.[0] ?? '';
  return `${kind}${'*'.repeat(Math.max(0, Math.min(20, key.length - kind.length - 4)))}${key.slice(-4)}`;
}

/** @throws StripeApiError 400 for an unknown version */
export function checkVersion(version: string | undefined): void {
  if (version !== undefined && version !== API_VERSION)
    throw invalidParameter('Stripe-Version', `Invalid Stripe API version: ${version}`);
}
