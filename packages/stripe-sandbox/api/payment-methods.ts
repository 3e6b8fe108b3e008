import type { Stripe } from 'stripe';
import { DECLINES, TEST_CARDS } from '../cards/test-cards.ts';
import { refuseRawNumber } from './card-details.ts';
import { addressParameters, usableCustomer } from './customers.ts';
import { cardError, invalidParameter, invalidState, missing } from './errors.ts';
import { type Operation, succeeded } from './operation.ts';
import type { Params } from './params.ts';
import { attach, detach, findPaymentMethod, paymentMethodOf } from './payment-method-objects.ts';
import { spendToken } from './tokens.ts';

const PARTY_FIELDS = ['email', 'name', 'phone'] as const;

function overwriteBilling(details: Stripe.PaymentMethod.BillingDetails, params: Params): void {
  for (const field of PARTY_FIELDS)
    details[field] = params.text(`billing_details[${field}]`) ?? details[field];
  const { address } = details;
  if (address === null) return;
  for (const field of ['city', 'country', 'line1', 'line2', 'postal_code', 'state'] as const)
    address[field] = params.text(`billing_details[address][${field}]`) ?? address[field];
}

const createPaymentMethod: Operation = {
  name: 'paymentMethods.create',
  method: 'POST',
  path: '/v1/payment_methods',
  allowed: [
    ...['type', 'card[token]', 'card[number]', 'card[cvc]', 'card[exp_month]', 'card[exp_year]'],
    ...['allow_redisplay', 'metadata[*]'],
    ...PARTY_FIELDS.map((field) => `billing_details[${field}]`),
    ...addressParameters('billing_details[address]'),
  ],
  run({ store, params }) {
    params.required('type');
    params.oneOf('type', ['card']);
    refuseRawNumber(params);
    const stored = paymentMethodOf(store, spendToken(store, params.required('card[token]'), 'card[token]'));
    stored.object.metadata = params.entries('metadata');
    stored.object.allow_redisplay =
      params.oneOf('allow_redisplay', ['always', 'limited', 'unspecified']) ?? 'unspecified';
    overwriteBilling(stored.object.billing_details, params);
    store.save('payment_method', stored);
    return succeeded(stored.object);
  },
};

const retrievePaymentMethod: Operation = {
  name: 'paymentMethods.retrieve',
  method: 'GET',
  path: '/v1/payment_methods/:id',
  allowed: [],
  run: ({ store, id }) => succeeded(findPaymentMethod(store, id, null).object),
};

const attachPaymentMethod: Operation = {
  name: 'paymentMethods.attach',
  method: 'POST',
  path: '/v1/payment_methods/:id/attach',
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
    const { outcome } = TEST_CARDS[stored.card];
    if (outcome !== 'succeeds' && outcome !== 'requires_action') throw cardError(DECLINES[outcome]);
    attach(call, stored, customer.id);
    return succeeded(stored.object);
  },
};

const detachPaymentMethod: Operation = {
  name: 'paymentMethods.detach',
  method: 'POST',
  path: '/v1/payment_methods/:id/detach',
  allowed: [],
  run(call) {
    const stored = findPaymentMethod(call.store, call.id, null);
    if (stored.object.customer === null)
      throw invalidState(
        'The payment method you provided is not attached to a customer so detachment is impossible.',
        { param: 'payment_method' },
      );
    detach(call.store, stored, call);
    return succeeded(stored.object);
  },
};

const listPaymentMethods: Operation = {
  name: 'customers.listPaymentMethods',
  method: 'GET',
  path: '/v1/customers/:id/payment_methods',
  allowed: ['type', 'limit', 'starting_after', 'ending_before'],
  run({ store, params, id }) {
    const customer = usableCustomer(store, id, 'id');
    params.oneOf('type', ['card']);
    const all = store.list('payment_method', customer.id).map(({ object }) => object);
    return succeeded({ object: 'list', ...page(all, params), url: `/v1/customers/${id}/payment_methods` });
  },
};

function page(
  all: Stripe.PaymentMethod[],
  params: Params,
): { data: Stripe.PaymentMethod[]; has_more: boolean } {
  const limit = params.integer('limit') ?? 10;
  if (limit < 1 || limit > 100)
    throw invalidParameter('limit', 'Invalid limit: must be between 1 and 100', 'parameter_invalid_integer');
  const [after, before] = [params.text('starting_after'), params.text('ending_before')];
  const cursor = all.findIndex(({ id }) => id === (after ?? before));
  if (cursor < 0 && (after ?? before) !== undefined)
    throw missing('PaymentMethod', after ?? before ?? '', after ? 'starting_after' : 'ending_before', false);
  const rest = before === undefined ? all.slice(cursor + 1) : all.slice(0, cursor).reverse();
  const data = rest.slice(0, limit);
  return { data: before === undefined ? data : data.reverse(), has_more: rest.length > limit };
}

export const paymentMethodOperations = [
  createPaymentMethod,
  retrievePaymentMethod,
  attachPaymentMethod,
  detachPaymentMethod,
  listPaymentMethods,
];
