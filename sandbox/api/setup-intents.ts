import type { Stripe } from 'stripe';
import { DECLINES, type DeclineName } from '../cards/declines.ts';
import { TEST_CARDS } from '../cards/test-cards.ts';
import type { StoredPaymentMethod } from '../state/store.ts';
import { usableCustomer } from './customers.ts';
import { docUrl, type ErrorFields, invalidParameter, invalidState, missing } from './errors.ts';
import { newId, nowSeconds, randomText } from './ids.ts';
import { type Call, type Operation, type Reply, succeeded } from './operation.ts';
import type { Params } from './params.ts';
import { attach, findPaymentMethod } from './payment-method-objects.ts';

function newSetupIntent(params: Params, customer: string | null): Stripe.SetupIntent {
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

/** @throws ApiError 400 where this payment method cannot be set up for this customer */
function refuseUnusable({ object, isDetached }: StoredPaymentMethod, customer: string | null): void {
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
function decline(intent: Stripe.SetupIntent, method: Stripe.PaymentMethod, name: DeclineName): Reply {
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

function confirm(call: Call, intent: Stripe.SetupIntent, stored: StoredPaymentMethod): Reply {
  const { outcome } = TEST_CARDS[stored.card];
  intent.latest_attempt = newId('setatt');
  if (outcome !== 'succeeds' && outcome !== 'requires_action') return decline(intent, stored.object, outcome);
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

function refuseRedirects(params: Params, intent: Stripe.SetupIntent): void {
  const redirects = intent.automatic_payment_methods?.allow_redirects;
  if (redirects !== 'always' || params.text('return_url') !== undefined) return;
  throw invalidParameter(
    'return_url',
    "This SetupIntent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a `return_url`. If you don't want to accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to `true` and `automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and Payment Intents.",
  );
}

/** @returns the reply with the payment method in place of its id, where `expand` asks for it */
function expanded({ store, params }: Call, intent: Stripe.SetupIntent): Stripe.SetupIntent {
  const id = intent.payment_method;
  if (!params.list('expand').includes('payment_method') || typeof id !== 'string') return intent;
  return { ...intent, payment_method: store.find('payment_method', id)?.object ?? id };
}

const createSetupIntent: Operation = {
  name: 'setupIntents.create',
  method: 'POST',
  path: '/v1/setup_intents',
  allowed: [
    ...[
      'automatic_payment_methods[enabled]',
      'automatic_payment_methods[allow_redirects]',
      'confirm',
      'customer',
    ],
    ...['description', 'expand[*]', 'metadata[*]', 'payment_method', 'return_url', 'usage'],
  ],
  run(call) {
    const { store, params } = call;
    const customerId = params.text('customer');
    const customer = customerId === undefined ? null : usableCustomer(store, customerId, 'customer').id;
    const intent = newSetupIntent(params, customer);
    const methodId = params.text('payment_method');
    const isConfirmed = params.flag('confirm') === true;
    if (isConfirmed && methodId === undefined)
      throw invalidParameter(
        'payment_method',
        'You cannot confirm this SetupIntent because it is missing a payment method. To confirm the SetupIntent, specify a payment method with `payment_method`.',
      );
    if (isConfirmed) refuseRedirects(params, intent);
    let reply = succeeded(intent);
    if (methodId !== undefined) {
      const stored = findPaymentMethod(store, methodId, 'payment_method');
      refuseUnusable(stored, customer);
      if (isConfirmed) reply = confirm(call, intent, stored);
      else Object.assign(intent, { payment_method: stored.object.id, status: 'requires_confirmation' });
    }
    store.save('setup_intent', { object: intent });
    return reply.status === 200 ? succeeded(expanded(call, intent)) : reply;
  },
};

const retrieveSetupIntent: Operation = {
  name: 'setupIntents.retrieve',
  method: 'GET',
  path: '/v1/setup_intents/:id',
  allowed: ['expand[*]'],
  run(call) {
    const stored = call.store.find('setup_intent', call.id);
    if (stored === undefined) throw missing('setupintent', call.id, 'intent', true);
    return succeeded(expanded(call, stored.object));
  },
};

export const setupIntentOperations = [createSetupIntent, retrieveSetupIntent];
