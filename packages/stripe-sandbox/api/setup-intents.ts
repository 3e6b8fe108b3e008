import type { Stripe } from 'stripe';
import { usableCustomer } from './customers.ts';
import { invalidParameter, missing } from './errors.ts';
import { type ApiResponse, type Call, type Operation, succeeded } from './operation.ts';
import type { Params } from './params.ts';
import { findPaymentMethod } from './payment-method-objects.ts';
import { confirm, newSetupIntent, refuseUnusable } from './setup-intent-objects.ts';

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

/** @returns the reply for an intent that may come with a payment method, and may be confirmed at once */
function withMethod(call: Call, intent: Stripe.SetupIntent, customer: string | null): ApiResponse {
  const { store, params } = call;
  const methodId = params.text('payment_method');
  const isConfirmed = params.flag('confirm') === true;
  if (isConfirmed && methodId === undefined)
    throw invalidParameter(
      'payment_method',
      'You cannot confirm this SetupIntent because it is missing a payment method. To confirm the SetupIntent, specify a payment method with `payment_method`.',
    );
  if (isConfirmed) refuseRedirects(params, intent);
  if (methodId === undefined) return succeeded(intent);
  const stored = findPaymentMethod(store, methodId, 'payment_method');
  refuseUnusable(stored, customer);
  if (isConfirmed) return confirm(call, intent, stored);
  intent.payment_method = stored.object.id;
  intent.status = 'requires_confirmation';
  return succeeded(intent);
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
    const reply = withMethod(call, intent, customer);
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
