import type { Stripe } from 'stripe';
import type { Store } from '../state/store.ts';
import { recordEvent } from '../webhooks.ts';
import { invalidParameter, missing } from './errors.ts';
import {
  type Call,
  newId,
  nowSeconds,
  type Operation,
  randomText,
  requestOf,
  SEARCH_PARAMETERS,
  searchResultOf,
} from './operation.ts';
import type { Params } from './params.ts';

const ADDRESS_FIELDS = ['city', 'country', 'line1', 'line2', 'postal_code', 'state'] as const;
const ADDRESS_LENGTH_MAX = 5000;
/** https://docs.stripe.com/api/customers/create */
const TEXT_LENGTHS_MAX = { description: 350, email: 512, name: 256, phone: 20 };

/** @param under the parameter that holds the address, such as `address` or `billing_details[address]` */
export const addressParameters = (under: string) => ADDRESS_FIELDS.map((field) => `${under}[${field}]`);

/** Merges the given fields into `address`. */
export function changeAddress(address: Stripe.Address, params: Params, under: string): void {
  for (const field of ADDRESS_FIELDS) {
    const change = params.change(`${under}[${field}]`, ADDRESS_LENGTH_MAX);
    if (change !== undefined) address[field] = change;
  }
}

const FIELDS = [
  ...Object.keys(TEXT_LENGTHS_MAX),
  ...['metadata', 'metadata[*]'],
  ...addressParameters('address'),
];

/** @throws StripeApiError 400 for an invalid or overlong value */
function fillCustomer(customer: Stripe.Customer, params: Params): void {
  for (const field of Object.keys(TEXT_LENGTHS_MAX) as (keyof typeof TEXT_LENGTHS_MAX)[]) {
    const change = params.change(field, TEXT_LENGTHS_MAX[field]);
    if (change !== undefined) customer[field] = change;
  }
  if (customer.email !== null) refuseInvalidEmail(customer.email);
  customer.metadata = params.metadata();
  if (addressParameters('address').some((name) => params.text(name) !== undefined))
    customer.address = {
      city: null,
      country: null,
      line1: null,
      line2: null,
      postal_code: null,
      state: null,
    };
  if (customer.address) changeAddress(customer.address, params, 'address');
}

/** Stricter than RFC 5321, as Stripe is: an ASCII local part without quotes, and a domain with a dot. */
const EMAIL =
  /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;

export function refuseInvalidEmail(email: string, param = 'email'): void {
  if (!EMAIL.test(email)) throw invalidParameter(param, `Invalid email address: ${email}`, 'email_invalid');
}

function newCustomer(): Stripe.Customer {
  return {
    id: newId('cus'),
    object: 'customer',
    address: null,
    balance: 0,
    created: nowSeconds(),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: randomText(8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

/** @throws StripeApiError `resource_missing` for an unknown or deleted customer */
export function usableCustomer(
  store: Store,
  id: string,
  param: string,
  isInPath = param === 'id',
): Stripe.Customer {
  const stored = store.find('customer', id);
  if (stored === undefined || stored.object.deleted) throw missing('customer', id, param, isInPath);
  return stored.object;
}

/**
 * Payment methods keep their `customer`, as in live mode.
 * @param call the request; null for a deletion in the Dashboard
 */
export function deleteCustomer(
  store: Store,
  customer: Stripe.Customer,
  call: Call | null,
): Stripe.DeletedCustomer {
  const deleted: Stripe.DeletedCustomer = { id: customer.id, object: 'customer', deleted: true };
  store.save('customer', { object: deleted });
  recordEvent(store, { type: 'customer.deleted', object: customer, ...requestOf(call) });
  return deleted;
}

const QUOTED = `("[^"]+"|'[^']+')`;
const CLAUSE = `metadata\\[${QUOTED}\\]:${QUOTED}`;
const QUERY = new RegExp(`^${CLAUSE}(\\s+(AND\\s+)?${CLAUSE})*$`, 'i');

/**
 * The part of the query language that the sandbox supports: exact metadata. https://docs.stripe.com/search#search-query-language
 * @throws StripeApiError 400 for any other query
 */
function searchByMetadata(store: Store, query: string): Stripe.Customer[] {
  if (!QUERY.test(query)) throw invalidParameter('query', 'The sandbox searches for metadata only.');
  const clauses = [...query.matchAll(new RegExp(CLAUSE, 'gi'))].map(([, key = '', value = '']) => [
    key.slice(1, -1),
    value.slice(1, -1),
  ]);
  return store
    .list('customer')
    .flatMap(({ object }) => (object.deleted ? [] : [object]))
    .filter(({ metadata }) => clauses.every(([key = '', value]) => metadata[key] === value));
}

export const customerOperations: Operation[] = [
  {
    name: 'customers.create',
    route: 'POST /v1/customers',
    allowed: FIELDS,
    run({ store, params }) {
      const customer = newCustomer();
      fillCustomer(customer, params);
      store.save('customer', { object: customer });
      return customer;
    },
  },
  {
    name: 'customers.search',
    route: 'GET /v1/customers/search',
    allowed: SEARCH_PARAMETERS,
    run: (call) => searchResultOf(searchByMetadata(call.store, call.params.required('query')), call),
  },
  {
    name: 'customers.retrieve',
    route: 'GET /v1/customers/:id',
    run({ store, id }) {
      const stored = store.find('customer', id);
      if (stored === undefined) throw missing('customer', id, 'id', true);
      return stored.object;
    },
  },
  {
    name: 'customers.del',
    route: 'DELETE /v1/customers/:id',
    run: (call) => deleteCustomer(call.store, usableCustomer(call.store, call.id, 'id'), call),
  },
];
