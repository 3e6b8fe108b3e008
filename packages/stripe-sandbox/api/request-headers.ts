/** Checks of the request headers: the API key, the API version, and the idempotency key. */
import { timingSafeEqual } from 'node:crypto';
import { invalidParameter, invalidRequest } from './errors.ts';

/** The version of the installed SDK: of responses and events, unless the request names another. */
export const API_VERSION = '2026-10-28.endive';

/** The releases of the last four years. https://docs.stripe.com/changelog */
const API_VERSIONS = [
  ...['2022-11-15', '2023-08-16', '2023-10-16', '2024-04-03', '2024-04-10', '2024-06-20'],
  ...['2024-09-30.acacia', '2024-10-28.acacia', '2024-11-20.acacia', '2024-12-18.acacia'],
  ...['2025-01-27.acacia', '2025-02-24.acacia', '2025-03-31.basil', '2025-04-30.basil', '2025-05-28.basil'],
  ...['2025-06-30.basil', '2025-07-30.basil', '2025-08-27.basil', '2025-09-30.clover', '2025-10-29.clover'],
  ...['2025-11-17.clover', '2025-12-15.clover', '2026-01-28.clover', '2026-02-25.clover'],
  ...['2026-03-25.dahlia', '2026-04-22.dahlia', '2026-05-27.dahlia', '2026-06-24.dahlia'],
  ...['2026-07-29.dahlia', '2026-08-26.dahlia', '2026-09-30.endive', API_VERSION],
];

const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

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
 * @returns whether the caller has the publishable key only
 * @throws StripeApiError 401 for a missing or unknown key, 403 for the publishable key when it is not enough
 */
export function authenticate(
  keys: Keys,
  authorization: string | undefined,
  parameter: string | undefined,
  isPublic: boolean,
): boolean {
  const key = keyOf(authorization) ?? parameter;
  if (!key) throw invalidRequest(401, { message: NO_KEY });
  if (isSameKey(key, keys.secretKey)) return false;
  if (!isSameKey(key, keys.publishableKey))
    throw invalidRequest(401, { message: `Invalid API Key provided: ${maskKey(key)}` });
  if (!isPublic)
    throw invalidRequest(403, {
      code: 'secret_key_required',
      message:
        'This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of your API keys at https://dashboard.stripe.com/account/apikeys.',
    });
  return true;
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

/** @returns the version of the response @throws StripeApiError 400 for an unknown version */
export function readVersion(version: string = API_VERSION): string {
  if (API_VERSIONS.includes(version)) return version;
  throw invalidParameter('Stripe-Version', `Invalid Stripe API version: ${version}`);
}

/** @returns null without a key @throws StripeApiError 400 for a key that is too long */
export function readIdempotencyKey(key: string | undefined): string | null {
  if (key !== undefined && key.length > IDEMPOTENCY_KEY_LENGTH_MAX)
    throw invalidParameter(
      'Idempotency-Key',
      `Invalid Idempotency-Key: must be at most ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`,
    );
  return key || null;
}
