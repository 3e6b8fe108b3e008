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

/** Asks the issuer. @returns the setup intent, or a 402 with the decline */
export function confirm(
  call: Call,
  intent: Stripe.SetupIntent,
  stored: StoredPaymentMethod,
): Stripe.SetupIntent | StripeApiError {
  const { store } = call;
  const { outcome } = testCard(stored.card);
  intent.payment_method = stored.object.id;
  if (outcome === 'requires_action') {
    intent.status = 'requires_action';
    intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } };
    recordAttempt(store, intent, stored.object, 'requires_action');
    save(store, intent, 'setup_intent.requires_action', call);
  } else if (outcome === 'succeeds') succeed(store, intent, stored, call);
  else {
    const fields = decline(store, intent, stored, outcome, call);
    return new StripeApiError(402, { ...fields, setup_intent: intent });
  }
  return intent;
}

/** How the bank's authentication can end: passed, or the `result_reason` of the attempt. https://docs.stripe.com/api/setup_attempts/object */
export const ACTION_RESULTS = ['authenticated', 'rejected', 'canceled', 'abandoned'] as const;
export type ActionResult = (typeof ACTION_RESULTS)[number];

/** Ends the bank's authentication. @throws Error unless an action is required */
export function finishAction(store: Store, intent: Stripe.SetupIntent, result: ActionResult): void {
  const stored = store.find('payment_method', String(intent.payment_method));
  if (intent.status !== 'requires_action' || !stored) throw new Error('The setup intent requires no action.');
  const { declineAfterAction } = testCard(stored.card);
  if (result !== 'authenticated')
    fail(store, intent, stored, null, {
      code: 'setup_intent_authentication_failure',
      doc_url: docUrl('setup_intent_authentication_failure'),
      message:
        'The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this SetupIntent again.',
      payment_method: stored.object,
      type: 'invalid_request_error',
    });
  else if (declineAfterAction) decline(store, intent, stored, declineAfterAction, null);
  else succeed(store, intent, stored, null);
  recordThreeDSecure(store, intent, result);
}

/** What the bank said of the cardholder, in the attempt that the authentication ended. */
function recordThreeDSecure(store: Store, intent: Stripe.SetupIntent, result: ActionResult): void {
  const object = store.find('setup_attempt', String(intent.latest_attempt))?.object;
  if (!object?.payment_method_details.card) throw new Error('The setup intent has no attempt.');
  const isAuthenticated = result === 'authenticated';
  object.payment_method_details.card.three_d_secure = {
    authentication_flow: 'challenge',
    electronic_commerce_indicator: isAuthenticated ? '05' : null,
    result: isAuthenticated ? 'authenticated' : 'failed',
    result_reason: isAuthenticated ? null : result,
    transaction_id: crypto.randomUUID(),
    version: '2.2.0',
  };
  store.save('setup_attempt', { object });
}

function succeed(
  store: Store,
  intent: Stripe.SetupIntent,
  stored: StoredPaymentMethod,
  call: Call | null,
): void {
  intent.status = 'succeeded';
  intent.last_setup_error = null;
  recordAttempt(store, intent, stored.object, 'succeeded');
  intent.next_action = null;
  if (typeof intent.customer === 'string') attach(store, stored, intent.customer, call);
  save(store, intent, 'setup_intent.succeeded', call);
}

function decline(
  store: Store,
  intent: Stripe.SetupIntent,
  stored: StoredPaymentMethod,
  name: DeclineName,
  call: Call | null,
): ErrorFields {
  const { object: method } = stored;
  if (name === 'incorrect_cvc' && method.card?.checks) method.card.checks.cvc_check = 'fail';
  store.save('payment_method', stored);
  const { code } = DECLINES[name];
  const fields: ErrorFields = {
    ...DECLINES[name],
    doc_url: docUrl(code),
    payment_method: method,
    type: 'card_error',
  };
  fail(store, intent, stored, call, fields);
  return fields;
}

/** The setup intent needs another payment method. */
function fail(
  store: Store,
  intent: Stripe.SetupIntent,
  stored: StoredPaymentMethod,
  call: Call | null,
  fields: ErrorFields,
): void {
  intent.last_setup_error = fields;
  recordAttempt(store, intent, stored.object, 'failed');
  intent.next_action = null;
  intent.payment_method = null;
  intent.status = 'requires_payment_method';
  save(store, intent, 'setup_intent.setup_failed', call);
}

export function cancel(call: Call, intent: Stripe.SetupIntent): void {
  intent.status = 'canceled';
  intent.next_action = null;
  intent.cancellation_reason =
    call.params.oneOf('cancellation_reason', ['abandoned', 'duplicate', 'requested_by_customer']) ?? null;
  save(call.store, intent, 'setup_intent.canceled', call);
}

type IntentEvent = Parameters<typeof recordEvent>[1]['type'];

function save(store: Store, intent: Stripe.SetupIntent, type: IntentEvent, call: Call | null): void {
  store.save('setup_intent', { object: intent });
  recordEvent(store, { type, object: intent, ...requestOf(call) });
}

/** Creates the latest attempt, or updates one that required an action. */
function recordAttempt(
  store: Store,
  intent: Stripe.SetupIntent,
  method: Stripe.PaymentMethod,
  status: 'requires_action' | 'succeeded' | 'failed',
): void {
  const { latest_attempt: latest, customer, next_action: action } = intent;
  const isUpdate = action !== null && status !== 'requires_action' && typeof latest === 'string';
  const { card } = method;
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
    payment_method: method.id,
    payment_method_details: {
      card: {
        brand: card?.brand ?? null,
        checks: card?.checks ?? null,
        country: card?.country ?? null,
        exp_month: card?.exp_month ?? null,
        exp_year: card?.exp_year ?? null,
        fingerprint: card?.fingerprint ?? null,
        funding: card?.funding ?? null,
        last4: card?.last4 ?? null,
        network: card?.brand ?? null,
        three_d_secure: null,
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
