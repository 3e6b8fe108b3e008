import { createServer } from 'node:http';
import Stripe from 'stripe';
import { expect, it } from 'vitest';
import { listen } from '#tools/testing/listen.ts';
import { ProviderError } from './provider.ts';
import { createStripe } from './stripe.ts';
import { mapReadErrors, mapStripeErrors } from './stripe-responses.ts';

const { errors } = Stripe;
type Raw = ConstructorParameters<typeof errors.StripeError>[0];

async function named(error: unknown, asksForToken: boolean) {
  const failure = await mapStripeErrors(asksForToken, () => Promise.reject(error)).catch((thrown) => thrown);
  if (!(failure instanceof ProviderError)) return failure;
  expect(failure.cause).toBe(error);
  return `${failure.kind}: ${failure.reason}${failure.isStored ? ', stored' : ''}`;
}

const raw = (fields: object): Raw => ({ type: 'invalid_request_error', message: 'No.', ...fields }) as Raw;
const invalid = (fields: object) => new errors.StripeInvalidRequestError(raw(fields));

it.each([
  [
    'a decline',
    new errors.StripeCardError(raw({ code: 'card_declined', decline_code: 'lost_card' })),
    'card: lost_card, stored',
  ],
  ['a card error', new errors.StripeCardError(raw({ code: 'expired_card' })), 'card: expired_card, stored'],
  ['a card error without a code', new errors.StripeCardError(raw({})), 'card: card_declined, stored'],
  [
    'a deleted customer',
    invalid({ code: 'resource_missing', param: 'customer' }),
    'unavailable: customer_missing, stored',
  ],
  [
    'a request without a customer',
    invalid({ code: 'parameter_missing', param: 'customer' }),
    'misuse: parameter_missing, stored',
  ],
  [
    'a bank that refuses the authentication without a challenge',
    invalid({ code: 'setup_intent_authentication_failure' }),
    'card: setup_intent_authentication_failure, stored',
  ],
  ['an unknown token', invalid({ code: 'resource_missing', param: 'id' }), 'token: resource_missing, stored'],
  ['a used token', invalid({ code: 'token_already_used' }), 'token: token_already_used, stored'],
  [
    'a payment method in another state',
    invalid({ code: 'payment_method_unexpected_state' }),
    'token: payment_method_unexpected_state, stored',
  ],
  ['a used payment method', invalid({ param: 'payment_method' }), 'token: No., stored'],
  [
    'a message of use',
    invalid({ message: 'It was previously used.' }),
    'token: It was previously used., stored',
  ],
  ['a message of detaching', invalid({ message: 'It was Detached.' }), 'token: It was Detached., stored'],
  ['a mistake of ours', invalid({ code: 'parameter_missing' }), 'misuse: parameter_missing, stored'],
  ['a wrong key', new errors.StripeAuthenticationError(raw({})), 'denied: StripeAuthenticationError'],
  [
    'a key without the permission',
    new errors.StripePermissionError(raw({})),
    'denied: StripePermissionError',
  ],
  [
    'a key used with other parameters',
    new errors.StripeIdempotencyError(raw({})),
    'unavailable: key_reused, stored',
  ],
  ['a key in flight', new errors.StripeError(raw({ statusCode: 409 })), 'unavailable: in_flight'],
  [
    'a key in flight that has a type',
    invalid({ statusCode: 409, code: 'idempotency_key_in_use' }),
    'unavailable: in_flight',
  ],
  [
    'a failure of the provider',
    new errors.StripeAPIError(raw({ statusCode: 500 })),
    'unavailable: provider_failed, stored',
  ],
  [
    'an unreadable response',
    new errors.StripeAPIError(raw({ statusCode: 200 })),
    'unavailable: provider_failed',
  ],
  ['a response without a status', new errors.StripeAPIError(raw({})), 'unavailable: provider_failed'],
  ['no connection', new errors.StripeConnectionError(raw({})), 'unavailable: not_reached'],
  ['too many requests', new errors.StripeRateLimitError(raw({})), 'unavailable: rate_limited'],
  ['anything else', new errors.StripeError(raw({}), 'StripeNewError'), 'misuse: StripeNewError'],
])('payment provider: %s', async (_, error, expected) => {
  expect(await named(error, true)).toBe(expected);
});

it.each([
  ['an unknown object', invalid({ code: 'resource_missing', param: 'id' })],
  ['a used payment method', invalid({ param: 'payment_method' })],
])('payment provider: %s in a request without a token is a mistake of ours', async (_, error) => {
  expect(await named(error, false)).toMatch(/^misuse: .+, stored$/);
});

it('payment provider: stores no failure of a read, which has no idempotency key', async () => {
  const failed = (error: unknown) => mapReadErrors(() => Promise.reject(error)).catch((thrown) => thrown);
  const cause = new errors.StripeAPIError(raw({ statusCode: 500 }));
  const unavailable = await failed(cause);
  expect(unavailable).toBeInstanceOf(ProviderError);
  expect(unavailable).toMatchObject({
    kind: 'unavailable',
    reason: 'provider_failed',
    isStored: false,
    cause,
  });
  const unknown = await failed(invalid({ code: 'resource_missing', param: 'id' }));
  expect(unknown).toMatchObject({ kind: 'token', isStored: true });
  const ours = Object.assign(new TypeError('x is not a function'), { kind: 'unavailable' });
  expect(await failed(ours)).toBe(ours);
  expect(await mapReadErrors(async () => 7)).toBe(7);
});

it('payment provider: passes on results, and errors that are not the provider’s', async () => {
  expect(await mapStripeErrors(true, async () => 7)).toBe(7);
  const ours = new TypeError('x is not a function');
  expect(await named(ours, true)).toBe(ours);
});

it('a redirect is not followed with the key', async () => {
  const requested: unknown[] = [];
  const server = createServer(({ url }, response) => {
    requested.push(url);
    response.writeHead(302, { location: '/moved' }).end('{}');
  });
  const STRIPE_API_BASE = `http://127.0.0.1:${await listen(server)}`;
  const stripe = createStripe({ STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_API_BASE });
  await stripe.customers.retrieve('cus_1').catch(() => {});
  server.close();
  expect(requested).toEqual(['/v1/customers/cus_1']);
});
