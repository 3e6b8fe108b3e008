/** Setup intents: creation, confirmation, and what the bank decides. https://docs.stripe.com/payments/setupintents/lifecycle */
import type { Stripe } from 'stripe';
import { DECLINES, type DeclineName, testCard } from '../cards/test-cards.ts';
import type { Store, StoredPaymentMethod } from '../state/store.ts';
import { recordEvent } from '../webhooks.ts';
import { docUrl, type ErrorFields, invalidParameter, invalidState, StripeApiError } from './errors.ts';
import { type Call, newId, nowSeconds, randomText, requestOf } from './operation.ts';
import { attach } from './payment-method-objects.ts';

/** From this version on, `automatic_payment_methods` is enabled by default. */
const AUTOMATIC_SINCE = '2023-08-16';

/** @returns an unsaved setup intent without a payment method */
export function newSetupIntent({ params, apiVersion }: Call, customer: string | null): Stripe.SetupIntent {
  const id = newId('seti');
  const types = params.list('payment_method_types');
  const unsupported = types.find((type) => type !== 'card');
  if (unsupported !== undefined)
    throw invalidParameter('payment_method_types', `The sandbox supports cards only, not "${unsupported}".`);
  const redirects =
    params.oneOf('automatic_payment_methods[allow_redirects]', ['always', 'never']) ?? 'always';
  const enabled = params.flag('automatic_payment_methods[enabled]');
  if (enabled && types.length > 0)
    throw invalidState(
      'You may only specify one of these parameters: automatic_payment_methods, payment_method_types.',
      { code: 'parameters_exclusive' },
    );
  const isAutomatic = enabled ?? (types.length === 0 && apiVersion >= AUTOMATIC_SINCE);
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
    metadata: params.metadata(),
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

/** @throws StripeApiError 400 if the payment method cannot be set up for the customer */
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

/** How the bank's authentication can end: passed, or the `result_reason` of the attempt. https://docs.stripe.com/api/setup_attempts/object */
export const ACTION_RESULTS = ['authenticated', 'rejected', 'canceled', 'abandoned'] as const;
type ActionResult = (typeof ACTION_RESULTS)[number];

/** A setup intent and its payment method, at the bank. */
type Setup = {
  store: Store;
  intent: Stripe.SetupIntent;
  stored: StoredPaymentMethod;
  /** Null if there is no request. */
  call: Call | null;
  /** Of the authentication, after one. */
  result?: ActionResult;
};

/** Asks the issuer. @returns the setup intent, or a 402 with the decline */
export function confirm(
  call: Call,
  intent: Stripe.SetupIntent,
  stored: StoredPaymentMethod,
): Stripe.SetupIntent | StripeApiError {
  const setup: Setup = { store: call.store, intent, stored, call };
  const { outcome } = testCard(stored.card);
  intent.payment_method = stored.object.id;
  if (outcome === 'requires_action') {
    intent.status = 'requires_action';
    intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } };
    recordAttempt(setup, 'requires_action');
    save(setup, 'setup_intent.requires_action');
  } else if (outcome === 'succeeds') succeed(setup);
  else {
    const fields = decline(setup, outcome);
    return new StripeApiError(402, { ...fields, setup_intent: intent });
  }
  return intent;
}

/** Ends the bank's authentication. @throws Error unless an action is required */
export function finishAction(store: Store, intent: Stripe.SetupIntent, result: ActionResult): void {
  const stored = store.find('payment_method', String(intent.payment_method));
  if (intent.status !== 'requires_action' || !stored) throw new Error('The setup intent requires no action.');
  const setup: Setup = { store, intent, stored, call: null, result };
  const { declineAfterAction } = testCard(stored.card);
  if (result !== 'authenticated')
    fail(setup, {
      code: 'setup_intent_authentication_failure',
      doc_url: docUrl('setup_intent_authentication_failure'),
      message:
        'The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this SetupIntent again.',
      payment_method: stored.object,
      type: 'invalid_request_error',
    });
  else if (declineAfterAction) decline(setup, declineAfterAction);
  else succeed(setup);
}

function succeed(setup: Setup): void {
  const { store, intent, stored, call } = setup;
  intent.status = 'succeeded';
  intent.last_setup_error = null;
  recordAttempt(setup, 'succeeded');
  intent.next_action = null;
  if (typeof intent.customer === 'string') attach(store, stored, intent.customer, call);
  save(setup, 'setup_intent.succeeded');
}

function decline(setup: Setup, name: DeclineName): ErrorFields {
  const { store, stored } = setup;
  const { card } = stored.object;
  if (name === 'incorrect_cvc' && card?.checks) card.checks.cvc_check = 'fail';
  store.save('payment_method', stored);
  const fields: ErrorFields = {
    ...DECLINES[name],
    doc_url: docUrl(DECLINES[name].code),
    payment_method: stored.object,
    type: 'card_error',
  };
  fail(setup, fields);
  return fields;
}

/** The setup intent needs another payment method. */
function fail(setup: Setup, fields: ErrorFields): void {
  const { intent } = setup;
  intent.last_setup_error = fields;
  recordAttempt(setup, 'failed');
  intent.next_action = null;
  intent.payment_method = null;
  intent.status = 'requires_payment_method';
  save(setup, 'setup_intent.setup_failed');
}

export function cancel(call: Call, intent: Stripe.SetupIntent): void {
  intent.status = 'canceled';
  intent.next_action = null;
  intent.cancellation_reason =
    call.params.oneOf('cancellation_reason', ['abandoned', 'duplicate', 'requested_by_customer']) ?? null;
  save({ store: call.store, intent, call }, 'setup_intent.canceled');
}

function save(
  { store, intent, call }: Pick<Setup, 'store' | 'intent' | 'call'>,
  type: Parameters<typeof recordEvent>[1]['type'],
): void {
  store.save('setup_intent', { object: intent });
  recordEvent(store, { type, object: intent, ...requestOf(call) });
}

/** Creates the latest attempt, or updates one that required an action. */
function recordAttempt(
  { store, intent, stored, result }: Setup,
  status: 'requires_action' | 'succeeded' | 'failed',
): void {
  const { latest_attempt: latest, customer, next_action: action } = intent;
  const isUpdate = action !== null && status !== 'requires_action' && typeof latest === 'string';
  const { id: method, card } = stored.object;
  if (!card) throw new Error('The payment method is not a card.');
  const { brand, checks, country, exp_month, exp_year, fingerprint = null, funding, last4 } = card;
  const object: Stripe.SetupAttempt = {
    id: isUpdate ? latest : newId('setatt'),
    object: 'setup_attempt',
    application: null,
    attach_to_self: false,
    created: nowSeconds(),
    customer,
    customer_account: null,
    flow_directions: null,
    livemode: false,
    on_behalf_of: null,
    payment_method: method,
    payment_method_details: {
      card: {
        ...{ brand, checks, country, exp_month, exp_year, fingerprint, funding, last4, network: brand },
        three_d_secure: result ? threeDSecure(result) : null,
        wallet: null,
      },
      type: 'card',
    },
    setup_error: status === 'failed' ? intent.last_setup_error : null,
    setup_intent: intent.id,
    status,
    usage: intent.usage,
  };
  intent.latest_attempt = object.id;
  store.save('setup_attempt', { object });
}

/** What the bank said of the cardholder. */
function threeDSecure(result: ActionResult) {
  const isAuthenticated = result === 'authenticated';
  return {
    authentication_flow: 'challenge',
    electronic_commerce_indicator: isAuthenticated ? '05' : null,
    result: isAuthenticated ? 'authenticated' : 'failed',
    result_reason: isAuthenticated ? null : result,
    transaction_id: crypto.randomUUID(),
    version: '2.2.0',
  } as const;
}
