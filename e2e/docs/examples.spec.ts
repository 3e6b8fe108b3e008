import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exampleOf, problemExample } from '#src/api/openapi-responses.ts';
import { type Operation, pathTo } from '#src/api/operation.ts';
import { type RefusalReason, refusalExample } from '#src/api/operations/card-refusals.ts';
import { operations } from '#src/api/operations/index.ts';
import type { ProblemCode } from '#src/errors.ts';
import { normalize, normalizeError } from '#tools/testing/normalize.ts';
import {
  type CallApi,
  expect,
  newCards,
  newCustomer,
  newEntry,
  setCardExpiry,
  type TestCustomer,
  test,
} from '../support/fixtures.ts';
import { sandboxControl } from '../support/own-service.ts';

const file = path.join(import.meta.dirname, '..', '..', 'src', 'api', 'operations', 'recorded.json');

const detail = '/schedule/v1/customers/detail';
const payout = '/api/schedule/v1/customers/payout';
const cards = '/api/schedule/v1/payment/cards';
const post = (api: CallApi, as: TestCustomer, token: string, headers = {}) =>
  api('POST', cards, { as, headers, body: { token, card: { addressCountry: 'US', addressZip: '94103' } } });

// Operations read what was added, and then remove it.
const methodsInOrder = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'];
const inOrder = operations.toSorted(
  (one, other) => methodsInOrder.indexOf(one.method) - methodsInOrder.indexOf(other.method),
);

/** @returns the responses to every operation's sample request, by operation */
async function callAll(api: CallApi, as: TestCustomer): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {};
  let added: string | undefined;
  const call = async ({ method, docs: { sample = {} }, ...operation }: Operation) => {
    // The UUID in a sample is that of the example response, so it stands for the one just added.
    const params = sample.params?.uuid && added ? { ...sample.params, uuid: added } : sample.params;
    const body = sample.body as object | undefined;
    const options = { as, ...(body && { body }) };
    return api(method, pathTo(operation, { ...sample, ...(params && { params }) }), options);
  };
  for (const operation of inOrder) {
    const { json, text } = await call(operation);
    if (operation.method === 'POST') added = /"uuid":"([^"]+)"/.exec(text)?.[1];
    responses[operation.id] = normalize(json);
  }
  return responses;
}

test('OpenAPI examples: successful responses equal the recorded ones (RECORD=1 records them)', async ({
  api,
  db,
  customer,
}) => {
  await newEntry(db, customer, { amountCents: 128450n, reference: 'INV-1' });
  const inCredit = await newCustomer(db);
  await newEntry(db, inCredit, { kind: 'credit', amountCents: 2550n });
  const renewing = await newCustomer(db);
  await post(api, renewing, 'tok_visa');
  await setCardExpiry(db, renewing, 1);
  const recorded = {
    ...(await callAll(api, customer)),
    addCardReplaced: normalize((await post(api, renewing, 'pm_card_visa')).json),
    getPayoutInCredit: normalize((await api('GET', payout, { as: inCredit })).json),
  };
  if (process.env.RECORD) await writeFile(file, `${JSON.stringify(recorded, null, 2)}\n`);
  expect(recorded).toEqual(JSON.parse(await readFile(file, 'utf8')));
});

// The host sends some of these itself, before the router.
test("OpenAPI examples: responses to a client's mistakes equal the documented ones", {
  tag: '@host',
}, async ({ api, customer: as }) => {
  const json = { 'Content-Type': 'application/json' };
  const key = { 'Idempotency-Key': 'a-key-of-mine' };
  await post(api, as, 'tok_mastercard', key);
  const responses: Partial<Record<ProblemCode, ReturnType<CallApi>>> = {
    request_unreadable: api('GET', detail, { as, headers: { Host: 'not a host' } }),
    host_unknown: api('GET', detail, { as, headers: { Host: 'shop.example' } }),
    headers_too_large: api('GET', detail, { as, headers: { 'X-Note': 'x'.repeat(20_000) } }),
    malformed_json: api('POST', cards, { as, headers: json, body: '{"token":' }),
    card_number_in_request: api('POST', cards, { as, body: { token: '4242424242424242', card: {} } }),
    token_invalid: post(api, as, 'tok_1234567890abcdef'),
    idempotency_key_invalid: post(api, as, 'tok_visa', { 'Idempotency-Key': 'x'.repeat(256) }),
    authentication_required: api('GET', detail),
    key_unknown: api('GET', detail, { as: { ...as, apiKey: 'key_test_unknown' } }),
    secret_invalid: api('GET', detail, { as: { ...as, apiSecret: 'secret_test_wrong' } }),
    not_found: api('GET', '/api/schedule/v1/nothing', { as }),
    card_not_found: api('DELETE', `${cards}/00000000-0000-4000-8000-000000000001`, { as }),
    method_not_allowed: api('DELETE', detail, { as }),
    body_too_large: api('POST', cards, { as, headers: json, body: `{"note":"${'x'.repeat(17_000)}"}` }),
    unsupported_media_type: api('POST', cards, { as, headers: { 'Content-Type': 'text/plain' }, body: 'x' }),
    idempotency_mismatch: post(api, as, 'tok_amex', key),
  };
  for (const [code, response] of Object.entries(responses))
    expect(normalizeError((await response).json)).toEqual(problemExample(code as ProblemCode));
});

for (const operation of operations) {
  const { invalid, sample } = operation.docs;
  if (!invalid) continue;
  test(`OpenAPI examples: ${operation.id} responds to invalid input as documented`, async ({
    api,
    customer,
  }) => {
    const response = await api(operation.method, pathTo(operation, { ...sample, ...invalid }), {
      as: customer,
      ...(invalid.body !== undefined && { body: invalid.body as object }),
    });
    expect(normalizeError(response.json)).toEqual(exampleOf(operation, 'invalid_input'));
  });
}

const tokens: Partial<Record<RefusalReason, string>> = {
  card_declined: 'tok_visa_chargeDeclined',
  insufficient_funds: 'tok_visa_chargeDeclinedInsufficientFunds',
  card_velocity_exceeded: 'tok_visa_chargeDeclinedVelocityLimitExceeded',
  expired_card: 'tok_chargeDeclinedExpiredCard',
  incorrect_cvc: 'tok_chargeDeclinedIncorrectCvc',
  processing_error: 'tok_chargeDeclinedProcessingError',
  authentication_required: 'tok_threeDSecure2Required',
  card_already_added: 'pm_card_visa',
};

test('OpenAPI examples: responses for cards that are not added equal the documented ones', async ({
  api,
  db,
  customer,
}) => {
  await post(api, customer, 'tok_visa');
  for (const [reason, token] of Object.entries(tokens)) {
    const { json } = await post(api, customer, token);
    expect(normalize(json)).toEqual(refusalExample(reason as RefusalReason));
  }
  for (const [token, result, reason] of [
    ['tok_authenticationRequired', 'rejected', 'authentication_failed'],
    ['tok_authenticationRequiredOnSetup', 'canceled', 'authentication_canceled'],
    ['tok_threeDSecureRequiredChargeDeclined', 'abandoned', 'authentication_abandoned'],
  ] as const) {
    const { text } = await post(api, customer, token);
    const [, setupIntentId] = /"client_secret":"(seti_\w+)_secret_/.exec(text) ?? [];
    await sandboxControl(`POST setup_intents/${setupIntentId}/complete_action`, { result });
    expect((await post(api, customer, token)).json).toEqual(refusalExample(reason));
  }
  const withAllCards = await newCustomer(db);
  await newCards(db, withAllCards, 20);
  expect((await post(api, withAllCards, 'tok_visa')).json).toEqual(refusalExample('card_limit_reached'));
});
