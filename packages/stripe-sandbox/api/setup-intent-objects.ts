/** How a setup intent comes to be and what confirming it does. */
import type { Stripe } from 'stripe';
import { DECLINES, type DeclineName, TEST_CARDS } from '../cards/test-cards.ts';
import type { StoredPaymentMethod } from '../state/store.ts';
import { docUrl, type ErrorFields, invalidState } from './errors.ts';
import { type ApiResponse, type Call, newId, nowSeconds, randomText, succeeded } from './operation.ts';
import type { Params } from './params.ts';
import { attach } from './payment-method-objects.ts';

/** @returns an intent as it is before a payment method is looked at; it is not saved yet */
export function newSetupIntent(params: Params, customer: string | null): Stripe.SetupIntent {
  const id = newId('seti');
  const redirects =
    params.oneOf('automatic_payment_methods[allow_redirects]', ['always', 'never']) ?? 'always';
  const isAutomatic = params.flag('automatic_payment_methods[enabled]') ?? true;
  return {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: isAutomatic ? { allow_redirects: redirects, enabled: true } : null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${randomText(31)}`,
    created: nowSeconds(),
    customer,
    customer_account: null,
    description: params.text('description') ?? null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: params.entries('metadata'),
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: params.oneOf('usage', ['off_session', 'on_session']) ?? 'off_session',
  };
}

/** @throws StripeApiError 400 where this payment method cannot be set up for this customer */
export function refuseUnusable({ object, isDetached }: StoredPaymentMethod, customer: string | null): void {
  if (isDetached)
    throw invalidState(
      'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.',
      { param: 'payment_method' },
    );
  if (object.customer !== null && object.customer !== customer)
    throw invalidState(
      `The customer does not have a payment method with the ID ${object.id}. The payment method must be attached to the customer.`,
      { code: 'resource_missing', param: 'payment_method' },
    );
}

/** The intent goes back to the start with the decline on it, and the answer is a 402 that carries both. */
function decline(
  call: Call,
  intent: Stripe.SetupIntent,
  stored: StoredPaymentMethod,
  name: DeclineName,
): ApiResponse {
  const { object: method } = stored;
  if (name === 'incorrect_cvc' && method.card?.checks) method.card.checks.cvc_check = 'fail';
  call.store.save('payment_method', stored);
  const { code } = DECLINES[name];
  const fields: ErrorFields = {
    ...DECLINES[name],
    doc_url: docUrl(code),
    payment_method: method,
    type: 'card_error',
  };
  intent.last_setup_error = fields;
  intent.status = 'requires_payment_method';
  return { status: 402, body: { error: { ...fields, setup_intent: intent } } };
}

/** Has the card checked by its issuer. @returns the intent, or the 402 with the intent as the decline left it */
export function confirm(call: Call, intent: Stripe.SetupIntent, stored: StoredPaymentMethod): ApiResponse {
  const { outcome } = TEST_CARDS[stored.card];
  intent.latest_attempt = newId('setatt');
  if (outcome !== 'succeeds' && outcome !== 'requires_action') return decline(call, intent, stored, outcome);
  intent.payment_method = stored.object.id;
  if (outcome === 'requires_action') {
    intent.status = 'requires_action';
    intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } };
    return succeeded(intent);
  }
  intent.status = 'succeeded';
  if (typeof intent.customer === 'string') attach(call, stored, intent.customer);
  return succeeded(intent);
}
