import { timingSafeEqual } from 'node:crypto';
import { secretKeyRequired, unauthenticated } from './errors.ts';

const NO_KEY =
  "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we can help at https://support.stripe.com/.";

export type Keys = { secretKey: string; publishableKey: string };

function keyOf(authorization: string | undefined): string | undefined {
  const bearer = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer.trim();
  const basic = /^Basic (.+)$/i.exec(authorization ?? '')?.[1];
  return basic && Buffer.from(basic, 'base64').toString().split(':')[0];
}

/** @returns whether two texts are the same, in a time that does not tell where they differ */
export function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** @returns a key that can be shown: its kind and its last four characters */
function shownKey(key: string): string {
  const kind = /^[a-z]+_(?:test|live)_/.exec(key)?.[0] ?? '';
  return `${kind}${'*'.repeat(Math.max(0, Math.min(20, key.length - kind.length - 4)))}${key.slice(-4)}`;
}

/**
 * @param authorization the `Authorization` header: Bearer, or Basic with the key as its user
 * @param parameter the key as a parameter, which a browser may send in place of the header
 * @param isPublic whether the publishable key is enough
 * @throws ApiError 401 without a key or with one that is not configured, 403 with the publishable key where it is not enough
 */
export function authenticate(
  keys: Keys,
  authorization: string | undefined,
  parameter: string | undefined,
  isPublic: boolean,
): void {
  const key = keyOf(authorization) ?? parameter;
  if (!key) throw unauthenticated(NO_KEY);
  if (isSameText(key, keys.secretKey)) return;
  if (!isSameText(key, keys.publishableKey))
    throw unauthenticated(`Invalid API Key provided: ${shownKey(key)}`);
  if (!isPublic) throw secretKeyRequired();
}
