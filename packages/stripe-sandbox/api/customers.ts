import type { Stripe } from 'stripe';
import type { Store } from '../state/store.ts';
import { missing } from './errors.ts';
import { newId, nowSeconds, type Operation, randomText, succeeded } from './operation.ts';
import type { Params } from './params.ts';

const ADDRESS_FIELDS = ['city', 'country', 'line1', 'line2', 'postal_code', 'state'] as const;

/** @param under the parameter that holds the address, e.g. `address` or `billing_details[address]` */
export const addressParameters = (under: string) => ADDRESS_FIELDS.map((field) => `${under}[${field}]`);

/** @returns the address given under `under`, with null for what is not given */
export function addressFrom(params: Params, under: string): Stripe.Address {
  const field = (name: (typeof ADDRESS_FIELDS)[number]) => params.text(`${under}[${name}]`) ?? null;
  return {
    city: field('city'),
    country: field('country'),
    line1: field('line1'),
    line2: field('line2'),
    postal_code: field('postal_code'),
    state: field('state'),
  };
}

function newCustomer(params: Params): Stripe.Customer {
  const hasAddress = addressParameters('address').some((name) => params.text(name) !== undefined);
  return {
    id: newId('cus'),
    object: 'customer',
    address: hasAddress ? addressFrom(params, 'address') : null,
    balance: 0,
    created: nowSeconds(),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: params.text('description') ?? null,
    discount: null,
    email: params.text('email') ?? null,
    invoice_prefix: randomText(8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: params.entries('metadata'),
    name: params.text('name') ?? null,
    next_invoice_sequence: 1,
    phone: params.text('phone') ?? null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

/** @throws StripeApiError `resource_missing` where there is none or it was deleted */
export function usableCustomer(store: Store, id: string, param: string): Stripe.Customer {
  const stored = store.find('customer', id);
  if (stored === undefined || stored.object.deleted) throw missing('customer', id, param, param === 'id');
  return stored.object;
}

const createCustomer: Operation = {
  name: 'customers.create',
  method: 'POST',
  path: '/v1/customers',
  allowed: ['description', 'email', 'metadata[*]', 'name', 'phone', ...addressParameters('address')],
  run({ store, params }) {
    const customer = newCustomer(params);
    store.save('customer', { object: customer });
    return succeeded(customer);
  },
};

const retrieveCustomer: Operation = {
  name: 'customers.retrieve',
  method: 'GET',
  path: '/v1/customers/:id',
  allowed: [],
  run({ store, id }) {
    const stored = store.find('customer', id);
    if (stored === undefined) throw missing('customer', id, 'id', true);
    return succeeded(stored.object);
  },
};

export const customerOperations = [createCustomer, retrieveCustomer];
