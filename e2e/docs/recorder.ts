/** Records responses of the running service, with values that differ between recordings replaced by fixed ones. */
import { isRead, pathTo } from '#src/api/operation.ts';
import { operations } from '#src/api/operations/index.ts';
import { normalizeError } from '#tools/testing/error-body.ts';
import type { CallApi, TestCustomer } from '../support/fixtures.ts';

const fixed: Record<string, unknown> = {
  uuid: '00000000-0000-4000-8000-000000000001',
  createdAt: '2026-11-20T23:45:00+00:00',
  created_at: '2026-11-20T23:45:00+00:00',
  updated_at: '2026-11-20T23:45:00+00:00',
  period_start: '2026-11-01T00:00:00-07:00',
  period_end: '2026-12-01T00:00:00-08:00',
  expMonth: '09',
  expYear: '2031',
  username: 'acme',
  email: 'ops@acme.example',
  api_key: 'key_test_YOUR_KEY',
  slug: 'testville',
};

/** @returns the body with fixed IDs, times, and names */
export function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    if (key in fixed && typeof inner === 'string') return [key, fixed[key]];
    if (key === 'id' && typeof inner === 'number') return [key, 1];
    if (key === 'name' && typeof inner === 'string' && inner.endsWith(' Deliveries'))
      return [key, 'Acme Flowers'];
    return [key, normalize(inner)];
  });
  return Object.fromEntries(entries);
}

const detail = '/schedule/v1/customers/detail';
const payout = '/api/schedule/v1/customers/payout';
const cards = '/api/schedule/v1/payment/cards';
const address = { addressCountry: 'US', addressZip: '94103' };
const post = (api: CallApi, as: TestCustomer, token: string, headers = {}) =>
  api('POST', cards, { as, headers, body: { token, card: address } });

/** The successful responses of the operations, and a declined card. @param inCredit a customer with a credit balance */
export async function recordOperations(api: CallApi, as: TestCustomer, inCredit: TestCustomer) {
  const added = (await post(api, as, 'tok_visa')).json as { card: { uuid: string } };
  const refused = (await post(api, as, 'tok_visa_chargeDeclined')).json;
  const reads: Record<string, unknown> = {};
  for (const operation of operations.filter(isRead))
    reads[operation.id] = (await api('GET', pathTo(operation, operation.docs.sample), { as })).json;
  const getPayoutInCredit = (await api('GET', payout, { as: inCredit })).json;
  const removeCard = (await api('DELETE', `${cards}/${added.card.uuid}`, { as })).json;
  return normalize({ ...reads, getPayoutInCredit, addCard: { added, refused }, removeCard });
}

/** Every error that a client can cause without a fault of the service or the provider. */
export async function recordFailures(api: CallApi, as: TestCustomer) {
  const wrong = { ...as, apiSecret: 'secret_test_wrong' };
  const unknown = { ...as, apiKey: 'key_test_unknown' };
  const json = { 'Content-Type': 'application/json' };
  const key = { 'Idempotency-Key': 'a-key-of-mine' };
  await post(api, as, 'tok_mastercard', key);
  const responses = {
    request_unreadable: api('GET', detail, { as, headers: { Host: 'not a host' } }),
    headers_too_large: api('GET', detail, { as, headers: { 'X-Note': 'x'.repeat(20_000) } }),
    invalid_input: api('POST', cards, { as, body: { card: { expMonth: '13' } } }),
    malformed_json: api('POST', cards, { as, headers: json, body: '{"token":' }),
    card_number_in_request: api('POST', cards, { as, body: { token: '4242424242424242', card: {} } }),
    token_invalid: post(api, as, 'tok_1234567890abcdef'),
    idempotency_key_invalid: post(api, as, 'tok_visa', { 'Idempotency-Key': 'x'.repeat(256) }),
    authentication_required: api('GET', detail),
    key_unknown: api('GET', detail, { as: unknown }),
    secret_invalid: api('GET', detail, { as: wrong }),
    not_found: api('GET', '/api/schedule/v1/nothing', { as }),
    card_not_found: api('DELETE', `${cards}/00000000-0000-4000-8000-000000000001`, { as }),
    method_not_allowed: api('DELETE', detail, { as }),
    body_too_large: api('POST', cards, { as, headers: json, body: `{"note":"${'x'.repeat(17_000)}"}` }),
    unsupported_media_type: api('POST', cards, { as, headers: { 'Content-Type': 'text/plain' }, body: 'x' }),
    idempotency_mismatch: post(api, as, 'tok_amex', key),
  };
  const recorded = Object.entries(responses).map(async ([code, response]) => [
    code,
    normalizeError((await response).json),
  ]);
  return Object.fromEntries(await Promise.all(recorded));
}

const refusals = {
  card_declined: 'tok_visa_chargeDeclined',
  insufficient_funds: 'tok_visa_chargeDeclinedInsufficientFunds',
  card_velocity_exceeded: 'tok_visa_chargeDeclinedVelocityLimitExceeded',
  expired_card: 'tok_chargeDeclinedExpiredCard',
  incorrect_cvc: 'tok_chargeDeclinedIncorrectCvc',
  processing_error: 'tok_chargeDeclinedProcessingError',
  authentication_required: 'tok_threeDSecure2Required',
  card_already_added: 'pm_card_visa',
};

/** Every decline that has a test token, and the one of a customer with the maximum number of cards. */
export async function recordRefusals(api: CallApi, as: TestCustomer, withAllCards: TestCustomer) {
  await post(api, as, 'tok_visa');
  const recorded: Record<string, unknown> = {};
  for (const [failure, token] of Object.entries(refusals))
    recorded[failure] = (await post(api, as, token)).json;
  recorded.card_limit_reached = (await post(api, withAllCards, 'tok_visa')).json;
  return recorded;
}
