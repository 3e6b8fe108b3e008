/** How a payment method comes to be, is found, attached and detached. */
import type { Stripe } from 'stripe';
import { type Brand, cardByTestId, TEST_CARDS } from '../cards/test-cards.ts';
import type { Store, StoredPaymentMethod, StoredToken } from '../state/store.ts';
import { recordEvent } from '../webhooks.ts';
import { missing } from './errors.ts';
import { type Call, newId, nowSeconds } from './operation.ts';
import { spendToken } from './tokens.ts';

const DISPLAY_BRANDS: Record<Brand, string> = {
  visa: 'visa',
  mastercard: 'mastercard',
  amex: 'american_express',
  discover: 'discover',
  diners: 'diners_club',
  jcb: 'jcb',
  unionpay: 'union_pay',
};

function cardOf({ card: name, object }: StoredToken): Stripe.PaymentMethod.Card {
  const { brand, funding } = TEST_CARDS[name];
  const card = object.card;
  return {
    brand,
    checks: {
      address_line1_check: card?.address_line1_check ?? null,
      address_postal_code_check: card?.address_zip_check ?? null,
      cvc_check: card?.cvc_check ?? null,
    },
    country: card?.country ?? null,
    display_brand: DISPLAY_BRANDS[brand],
    exp_month: card?.exp_month ?? 0,
    exp_year: card?.exp_year ?? 0,
    fingerprint: card?.fingerprint ?? null,
    funding,
    generated_from: null,
    last4: card?.last4 ?? '',
    networks: { available: [brand], preferred: null },
    regulated_status: 'unregulated',
    three_d_secure_usage: { supported: true },
    wallet: null,
  };
}

/** @returns a new payment method for a token that was just used up; it is not attached to anyone */
export function paymentMethodOf(store: Store, token: StoredToken): StoredPaymentMethod {
  const card = token.object.card;
  const stored: StoredPaymentMethod = {
    card: token.card,
    isDetached: false,
    object: {
      id: newId('pm'),
      object: 'payment_method',
      allow_redisplay: 'unspecified',
      billing_details: {
        address: {
          city: card?.address_city ?? null,
          country: card?.address_country ?? null,
          line1: card?.address_line1 ?? null,
          line2: card?.address_line2 ?? null,
          postal_code: card?.address_zip ?? null,
          state: card?.address_state ?? null,
        },
        email: null,
        name: card?.name ?? null,
        phone: null,
        tax_id: null,
      },
      card: cardOf(token),
      created: nowSeconds(),
      customer: null,
      customer_account: null,
      livemode: false,
      metadata: {},
      type: 'card',
    },
  };
  store.save('payment_method', stored);
  return stored;
}

/**
 * @param param the parameter that names it; null where the address does
 * @returns the payment method; a new one for a reusable test id such as `pm_card_visa`
 * @throws StripeApiError `resource_missing`
 */
export function findPaymentMethod(store: Store, id: string, param: string | null): StoredPaymentMethod {
  if (id.startsWith('pm_card_') && cardByTestId(id) !== undefined)
    return paymentMethodOf(store, spendToken(store, id.replace('pm_card_', 'tok_'), 'payment_method'));
  const stored = store.find('payment_method', id);
  if (stored === undefined) throw missing('PaymentMethod', id, param ?? 'payment_method', param === null);
  return stored;
}

const requestOf = (call: Call | null) =>
  call ? { request: { id: call.requestId, idempotency_key: call.idempotencyKey } } : {};

/** Attaches a payment method whose card was accepted; the checks that the issuer made are noted on it. */
export function attach(call: Call, stored: StoredPaymentMethod, customer: string): void {
  const { object } = stored;
  const checks = object.card?.checks;
  if (checks) {
    if (checks.cvc_check !== null) checks.cvc_check = 'pass';
    if (checks.address_line1_check !== null) checks.address_line1_check = 'pass';
    if (checks.address_postal_code_check !== null) checks.address_postal_code_check = 'pass';
  }
  if (object.customer === customer) return;
  object.customer = customer;
  call.store.save('payment_method', stored);
  recordEvent(call.store, { type: 'payment_method.attached', object, ...requestOf(call) });
}

/** Detaches for good. @param call the request that asked for it; null where it happened in the dashboard */
export function detach(store: Store, stored: StoredPaymentMethod, call: Call | null): void {
  const { object } = stored;
  const previous = { customer: object.customer };
  object.customer = null;
  stored.isDetached = true;
  store.save('payment_method', stored);
  recordEvent(store, { type: 'payment_method.detached', object, previous, ...requestOf(call) });
}
