import type { Stripe } from 'stripe';
import { usableCustomer } from './customers.ts';
import { invalidParameter, invalidState, missing, StripeApiError } from './errors.ts';
import type { Call, Operation } from './operation.ts';
import type { Params } from './params.ts';
import { findPaymentMethod } from './payment-method-objects.ts';
import { cancel, confirm, newSetupIntent, refuseUnusable } from './setup-intent-objects.ts';

function refuseRedirects(params: Params, intent: Stripe.SetupIntent): void {
  const redirects = intent.automatic_payment_methods?.allow_redirects;
  if (redirects !== 'always' || params.text('return_url') !== undefined) return;
  throw invalidParameter(
    'return_url',
    "This SetupIntent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a `return_url`. If you don't want to accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to `true` and `automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and Payment Intents.",
  );
}

const idOf = (value: string | { id: string } | null): string | null =>
  typeof value === 'string' ? value : (value?.id ?? null);

/** Sets the request's payment method, if it has one, and confirms the setup intent if asked to. */
function proceed(
  call: Call,
  intent: Stripe.SetupIntent,
  isConfirmed: boolean,
): Stripe.SetupIntent | StripeApiError {
  const { store, params } = call;
  const methodId = params.text('payment_method') ?? idOf(intent.payment_method);
  if (isConfirmed && methodId === null)
    throw invalidParameter(
      'payment_method',
      'You cannot confirm this SetupIntent because it is missing a payment method. To confirm the SetupIntent, specify a payment method with `payment_method`.',
    );
  if (isConfirmed) refuseRedirects(params, intent);
  if (methodId !== null) {
    const stored = findPaymentMethod(store, methodId, 'payment_method');
    refuseUnusable(stored, idOf(intent.customer));
    if (isConfirmed) return confirm(call, intent, stored);
    intent.payment_method = stored.object.id;
    intent.status = 'requires_confirmation';
  }
  store.save('setup_intent', { object: intent });
  return intent;
}

/** @throws StripeApiError for an unknown ID; for a client secret that is not its own, or missing in a browser */
function findIntent({ store, id, params, isFromBrowser }: Call): Stripe.SetupIntent {
  const stored = store.find('setup_intent', id);
  if (stored === undefined) throw missing('setupintent', id, 'intent', true);
  const secret = isFromBrowser ? params.required('client_secret') : params.text('client_secret');
  if (secret !== undefined && secret !== stored.object.client_secret)
    throw invalidParameter(
      'client_secret',
      "The client_secret provided does not match any associated SetupIntent on this account. Ensure the client_secret is correct and that the SetupIntent hasn't been deleted.",
      'setup_intent_invalid_parameter',
    );
  return stored.object;
}

/** What a browser sees of a setup intent. https://docs.stripe.com/js/setup_intents/retrieve_setup_intent */
const PUBLIC_FIELDS = [
  ...['id', 'object', 'automatic_payment_methods', 'cancellation_reason', 'client_secret', 'created'],
  ...['description', 'last_setup_error', 'livemode', 'next_action', 'payment_method'],
  ...['payment_method_types', 'status', 'usage'],
];

function publicIntent(intent: Stripe.SetupIntent): Stripe.SetupIntent {
  const shown = Object.entries(intent).filter(([name]) => PUBLIC_FIELDS.includes(name));
  return Object.fromEntries(shown) as Stripe.SetupIntent;
}

/** In a browser: without what is for the server only. */
function shown({ isFromBrowser }: Call, result: Stripe.SetupIntent | StripeApiError): object {
  if (!isFromBrowser) return result;
  if (!(result instanceof StripeApiError)) return publicIntent(result);
  const { setup_intent: intent, ...fields } = result.body.error;
  return new StripeApiError(result.status, {
    ...fields,
    ...(intent && { setup_intent: publicIntent(intent) }),
  });
}

const OPEN_STATUSES = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

/** @throws StripeApiError 400 `setup_intent_unexpected_state` */
function refuseClosed(intent: Stripe.SetupIntent, verb: string, participle: string): void {
  if (OPEN_STATUSES.includes(intent.status)) return;
  const message = `You cannot ${verb} this SetupIntent because it has a status of ${intent.status}. Only a SetupIntent with one of the following statuses may be ${participle}: ${OPEN_STATUSES.join(', ')}.`;
  throw invalidState(message, { code: 'setup_intent_unexpected_state', setup_intent: intent });
}

export const setupIntentOperations: Operation[] = [
  {
    name: 'setupIntents.create',
    route: 'POST /v1/setup_intents',
    allowed: [
      ...['automatic_payment_methods[enabled]', 'automatic_payment_methods[allow_redirects]', 'confirm'],
      ...['customer', 'description', 'metadata', 'metadata[*]', 'payment_method', 'payment_method_types[*]'],
      ...['return_url', 'usage', 'use_stripe_sdk'],
    ],
    run(call) {
      const { store, params } = call;
      const customer = params.text('customer');
      const owner = customer === undefined ? null : usableCustomer(store, customer, 'customer').id;
      return proceed(call, newSetupIntent(call, owner), params.flag('confirm') === true);
    },
  },
  {
    name: 'setupIntents.retrieve',
    route: 'GET /v1/setup_intents/:id',
    allowed: ['client_secret', 'key'],
    isPublic: true,
    run: (call) => shown(call, findIntent(call)),
  },
  {
    name: 'setupIntents.confirm',
    route: 'POST /v1/setup_intents/:id/confirm',
    allowed: ['client_secret', 'key', 'payment_method', 'return_url', 'use_stripe_sdk'],
    isPublic: true,
    run(call) {
      const intent = findIntent(call);
      refuseClosed(intent, 'confirm', 'confirmed');
      return shown(call, proceed(call, intent, true));
    },
  },
  {
    name: 'setupIntents.cancel',
    route: 'POST /v1/setup_intents/:id/cancel',
    allowed: ['cancellation_reason'],
    run(call) {
      const intent = findIntent(call);
      refuseClosed(intent, 'cancel', 'canceled');
      cancel(call, intent);
      return intent;
    },
  },
];
