import { createHmac } from 'node:crypto';
import type { Stripe } from 'stripe';
import { type Brand, cardByTestId, testCard } from '../cards/test-cards.ts';
import type { Store, StoredToken } from '../state/store.ts';
import { type CheckedCard, checkCard } from './card-details.ts';
import { invalidState, missing } from './errors.ts';
import { type Call, newId, nowSeconds, type Operation, succeeded } from './operation.ts';
import { Params } from './params.ts';

const TOKEN_BRANDS: Record<Brand, string> = {
  visa: 'Visa',
  mastercard: 'MasterCard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** A keyed digest of the number, the same within one data file. A wallet's device number is another number. */
export function fingerprintOf(store: Store, card: string): string {
  const { number, wallet = '' } = testCard(card);
  const digest = createHmac('sha256', store.fingerprintKey)
    .update(wallet + number)
    .digest('base64');
  return digest.replace(/[^0-9A-Za-z]/g, '').slice(0, 16);
}

function newCard(store: Store, details: CheckedCard, params: Params): Stripe.Card {
  const { brand, funding, number, country, checks, wallet } = testCard(details.name);
  const param = (name: string) => params.text(`card[${name}]`) ?? null;
  return {
    id: newId('card'),
    object: 'card',
    address_city: param('address_city'),
    address_country: param('address_country'),
    address_line1: param('address_line1'),
    address_line1_check: param('address_line1') || checks?.address_line1_check ? 'unchecked' : null,
    address_line2: param('address_line2'),
    address_state: param('address_state'),
    address_zip: param('address_zip'),
    address_zip_check: param('address_zip') || checks?.address_postal_code_check ? 'unchecked' : null,
    brand: TOKEN_BRANDS[brand],
    country,
    cvc_check: details.hasCvc ? 'unchecked' : null,
    dynamic_last4: wallet ? number.slice(-4) : null,
    exp_month: details.expMonth,
    exp_year: details.expYear,
    fingerprint: fingerprintOf(store, details.name),
    funding,
    last4: number.slice(-4),
    metadata: {},
    name: param('name'),
    networks: { preferred: null },
    regulated_status: 'unregulated',
    tokenization_method: wallet === 'google_pay' ? 'android_pay' : (wallet ?? null),
  };
}

function newToken(
  store: Store,
  details: CheckedCard,
  params: Params,
  clientAddress: string | null,
): StoredToken {
  const token: StoredToken = {
    card: details.name,
    object: {
      id: newId('tok'),
      object: 'token',
      card: newCard(store, details, params),
      client_ip: clientAddress,
      created: nowSeconds(),
      livemode: false,
      type: 'card',
      used: false,
    },
  };
  store.save('token', token);
  return token;
}

/** @returns a new token for a reusable test ID such as `tok_visa`, undefined for any other ID */
function tokenOfTestId(store: Store, id: string): StoredToken | undefined {
  const name = cardByTestId(id);
  if (name === undefined) return undefined;
  const now = new Date();
  const details = { name, expMonth: now.getUTCMonth() + 1, expYear: now.getUTCFullYear() + 1, hasCvc: true };
  return newToken(store, details, new Params(''), null);
}

/**
 * Marks a token as used.
 * @throws StripeApiError 400 `resource_missing` or `token_already_used`
 */
export function spendToken(store: Store, id: string, param: string): StoredToken {
  const token = tokenOfTestId(store, id) ?? store.find('token', id);
  if (token === undefined) throw missing('token', id, param, false);
  if (token.object.used)
    throw invalidState(`You cannot use a Stripe token more than once: ${id}.`, {
      code: 'token_already_used',
    });
  token.object.used = true;
  store.save('token', token);
  return token;
}

const CARD_FIELDS = [
  ...['number', 'exp_month', 'exp_year', 'cvc', 'name', 'currency'],
  ...['address_city', 'address_country', 'address_line1', 'address_line2', 'address_state', 'address_zip'],
];

const createToken: Operation = {
  name: 'tokens.create',
  method: 'POST',
  path: '/v1/tokens',
  allowed: ['key', ...CARD_FIELDS.map((field) => `card[${field}]`)],
  isPublic: true,
  run({ store, params, clientAddress }: Call) {
    return succeeded(newToken(store, checkCard(params, new Date()), params, clientAddress).object);
  },
};

const retrieveToken: Operation = {
  name: 'tokens.retrieve',
  method: 'GET',
  path: '/v1/tokens/:id',
  allowed: ['key'],
  isPublic: true,
  run({ store, id }) {
    const token = tokenOfTestId(store, id) ?? store.find('token', id);
    if (token === undefined) throw missing('token', id, 'token', true);
    return succeeded(token.object);
  },
};

export const tokenOperations = [createToken, retrieveToken];
