import type { Stripe } from 'stripe';
import { DECLINES, testCard } from '../cards/test-cards.ts';
import { addressParameters, changeAddress, refuseInvalidEmail, usableCustomer } from './customers.ts';
import { cardError, invalidState } from './errors.ts';
import { listOf, type Operation, PAGE_PARAMETERS } from './operation.ts';
import type { Params } from './params.ts';
import { attach, detach, findPaymentMethod, paymentMethodOf } from './payment-method-objects.ts';
import { refuseRawNumber, spendToken } from './tokens.ts';

const PARTY_FIELDS = ['email', 'name', 'phone'] as const;
const PARTY_TEXT_LENGTH_MAX = 512;
const DETAILS = [
  ...['allow_redisplay', 'metadata', 'metadata[*]'],
  ...PARTY_FIELDS.map((field) => `billing_details[${field}]`),
  ...addressParameters('billing_details[address]'),
];

function changeDetails(method: Stripe.PaymentMethod, params: Params): void {
  const { billing_details: billing } = method;
  for (const field of PARTY_FIELDS) {
    const change = params.change(`billing_details[${field}]`, PARTY_TEXT_LENGTH_MAX);
    if (change !== undefined) billing[field] = change;
  }
  if (billing.email !== null) refuseInvalidEmail(billing.email, 'billing_details[email]');
  if (billing.address) changeAddress(billing.address, params, 'billing_details[address]');
  method.metadata = params.metadata();
  method.allow_redisplay =
    params.oneOf('allow_redisplay', ['always', 'limited', 'unspecified']) ??
    method.allow_redisplay ??
    'unspecified';
}

export const paymentMethodOperations: Operation[] = [
  {
    name: 'paymentMethods.create',
    route: 'POST /v1/payment_methods',
    allowed: [
      ...['type', 'card[token]', 'card[number]', 'card[cvc]', 'card[exp_month]', 'card[exp_year]'],
      ...DETAILS,
      'key',
    ],
    isPublic: true,
    run({ store, params }) {
      params.required('type');
      params.oneOf('type', ['card']);
      refuseRawNumber(params);
      const stored = paymentMethodOf(store, spendToken(store, params.required('card[token]'), 'card[token]'));
      changeDetails(stored.object, params);
      store.save('payment_method', stored);
      return stored.object;
    },
  },
  {
    name: 'paymentMethods.retrieve',
    route: 'GET /v1/payment_methods/:id',
    run: ({ store, id }) => findPaymentMethod(store, id, null).object,
  },
  {
    name: 'paymentMethods.attach',
    route: 'POST /v1/payment_methods/:id/attach',
    allowed: ['customer'],
    run(call) {
      const customer = usableCustomer(call.store, call.params.required('customer'), 'customer');
      const stored = findPaymentMethod(call.store, call.id, null);
      if (stored.isDetached)
        throw invalidState(
          'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.',
        );
      if (stored.object.customer !== null)
        throw invalidState('The payment method you provided has already been attached to a customer.');
      const { outcome } = testCard(stored.card);
      if (outcome !== 'succeeds' && outcome !== 'requires_action') throw cardError(DECLINES[outcome]);
      attach(call.store, stored, customer.id, call);
      return stored.object;
    },
  },
  {
    name: 'paymentMethods.detach',
    route: 'POST /v1/payment_methods/:id/detach',
    run(call) {
      const stored = findPaymentMethod(call.store, call.id, null);
      if (stored.object.customer === null)
        throw invalidState(
          'The payment method you provided is not attached to a customer so detachment is impossible.',
          { param: 'payment_method' },
        );
      detach(call.store, stored, call);
      return stored.object;
    },
  },
  {
    name: 'customers.listPaymentMethods',
    route: 'GET /v1/customers/:id/payment_methods',
    allowed: ['type', ...PAGE_PARAMETERS],
    run(call) {
      const customer = usableCustomer(call.store, call.id, 'customer', true);
      call.params.oneOf('type', ['card']);
      const methods = call.store.list('payment_method', customer.id).map(({ object }) => object);
      return listOf(methods, call, 'PaymentMethod');
    },
  },
];
