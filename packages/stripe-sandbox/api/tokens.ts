import { createHmac } from 'node:crypto';
import type { Stripe } from 'stripe';
import { hasLuhnDigit } from '../cards/numbers.ts';
import { BRANDS, type Brand, cardByNumber, cardByTestId, testCard } from '../cards/test-cards.ts';
import type { Store, StoredToken } from '../state/store.ts';
import {
  cardError,
  type ErrorFields,
  invalidParameter,
  invalidState,
  missing,
  type StripeApiError,
} from './errors.ts';
import { newId, nowSeconds, type Operation } from './operation.ts';
import { Params } from './params.ts';

type CheckedCard = { name: string; expMonth: number; expYear: number; hasCvc: boolean };

/** @throws StripeApiError 402 for invalid details, 400 for missing ones */
function checkCard(params: Params): CheckedCard {
  const name = checkNumber(params.required('card[number]').replace(/[\s-]/g, ''));
  const month = params.required('card[exp_month]');
  const { expMonth, expYear } = checkExpiry(month, params.required('card[exp_year]'));
  const cvc = params.text('card[cvc]');
  if (cvc !== undefined && !isCvcOf(testCard(name).brand, cvc)) {
    throw refusal('invalid_cvc', "Your card's security code is invalid.", 'cvc');
  }
  return { name, expMonth, expYear, hasCvc: cvc !== undefined };
}

function checkNumber(number: string): string {
  if (!/^\d{12,19}$/.test(number))
    throw refusal('invalid_number', 'The card number is not a valid credit card number.', 'number');
  if (!hasLuhnDigit(number)) throw refusal('incorrect_number', 'Your card number is incorrect.', 'number');
  const name = cardByNumber(number);
  if (name === undefined) {
    throw cardError({
      code: 'card_declined',
      decline_code: 'test_mode_live_card',
      message:
        'Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test cards, visit: https://stripe.com/docs/testing.',
      param: 'number',
    });
  }
  return name;
}

/** By the month in UTC, as at Stripe. @throws StripeApiError 402 for an invalid or past expiry */
function checkExpiry(month: string, year: string): { expMonth: number; expYear: number } {
  const now = new Date();
  const expMonth = Number(month);
  if (!Number.isInteger(expMonth) || expMonth < 1 || expMonth > 12)
    throw refusal('invalid_expiry_month', "Your card's expiration month is invalid.", 'exp_month');
  const expYear = Number(year) < 100 ? 2000 + Number(year) : Number(year);
  const thisYear = now.getUTCFullYear();
  if (!Number.isInteger(expYear) || expYear < thisYear || expYear > thisYear + 50)
    throw refusal('invalid_expiry_year', "Your card's expiration year is invalid.", 'exp_year');
  if (expYear === thisYear && expMonth < now.getUTCMonth() + 1)
    throw refusal('invalid_expiry_month', "Your card's expiration month is invalid.", 'exp_month');
  return { expMonth, expYear };
}

function isCvcOf(brand: Brand, cvc: string): boolean {
  return /^\d+$/.test(cvc) && cvc.length === (brand === 'amex' ? 4 : 3);
}

function refusal(code: NonNullable<ErrorFields['code']>, message: string, param: string): StripeApiError {
  return cardError({ code, message, param });
}

/** @throws StripeApiError 400 for a card number in place of a token */
export function refuseRawNumber(params: Params): void {
  if (params.text('card[number]') !== undefined)
    throw invalidParameter(
      'card[number]',
      'Sending credit card numbers directly to the Stripe API is generally unsafe. Create a token with the form in the browser and send that.',
    );
}

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
    brand: BRANDS[brand].ofToken,
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

export const tokenOperations: Operation[] = [
  {
    name: 'tokens.create',
    route: 'POST /v1/tokens',
    allowed: ['key', ...CARD_FIELDS.map((field) => `card[${field}]`)],
    isPublic: true,
    run({ store, params, clientAddress }) {
      return newToken(store, checkCard(params), params, clientAddress).object;
    },
  },
  {
    name: 'tokens.retrieve',
    route: 'GET /v1/tokens/:id',
    allowed: ['key'],
    isPublic: true,
    run({ store, id }) {
      const token = tokenOfTestId(store, id) ?? store.find('token', id);
      if (token === undefined) throw missing('token', id, 'token', true);
      return token.object;
    },
  },
];
