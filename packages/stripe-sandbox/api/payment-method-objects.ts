/** Payment methods: creation, lookup, attaching, and detaching. */
import type { Stripe } from 'stripe';
import { BRANDS, cardByTestId, testCard } from '../cards/test-cards.ts';
import type { Store, StoredPaymentMethod, StoredToken } from '../state/store.ts';
import { recordEvent } from '../webhooks.ts';
import { missing } from './errors.ts';
import { type Call, newId, nowSeconds, requestOf } from './operation.ts';
import { spendToken } from './tokens.ts';

/** @param token a token that was just spent @returns a new, unattached payment method */
export function paymentMethodOf(
  store: Store,
  { card: name, object: token }: StoredToken,
): StoredPaymentMethod {
  const { card } = token;
  if (!card) throw new Error('The token is not of a card.');
  const { brand, funding, networks, wallet } = testCard(name);
  const stored: StoredPaymentMethod = {
    card: name,
    isDetached: false,
    object: {
      id: newId('pm'),
      object: 'payment_method',
      allow_redisplay: 'unspecified',
      billing_details: {
        address: {
          city: card.address_city,
          country: card.address_country,
          line1: card.address_line1,
          line2: card.address_line2,
          postal_code: card.address_zip,
          state: card.address_state,
        },
        email: null,
        name: card.name,
        phone: null,
        tax_id: null,
      },
      card: {
        brand,
        checks: {
          address_line1_check: card.address_line1_check,
          address_postal_code_check: card.address_zip_check,
          cvc_check: card.cvc_check,
        },
        country: card.country,
        display_brand: BRANDS[brand].display,
        exp_month: card.exp_month,
        exp_year: card.exp_year,
        fingerprint: card.fingerprint ?? null,
        funding,
        generated_from: null,
        last4: card.last4,
        networks: { available: networks ?? [brand], preferred: null },
        regulated_status: 'unregulated',
        three_d_secure_usage: { supported: true },
        wallet: wallet ? { [wallet]: {}, dynamic_last4: card.last4, type: wallet } : null,
      },
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
 * @param param the parameter that holds the ID; null if the path does
 * @returns the payment method; a new one for a reusable test ID such as `pm_card_visa`
 * @throws StripeApiError `resource_missing`
 */
export function findPaymentMethod(store: Store, id: string, param: string | null): StoredPaymentMethod {
  if (id.startsWith('pm_card_') && cardByTestId(id) !== undefined)
    return paymentMethodOf(store, spendToken(store, id.replace('pm_card_', 'tok_'), 'payment_method'));
  const stored = store.find('payment_method', id);
  if (stored === undefined) throw missing('PaymentMethod', id, param ?? 'payment_method', param === null);
  return stored;
}

/**
 * Attaches a payment method whose card was accepted, with the results of the issuer's checks.
 * @param call the request; null if there is none
 */
export function attach(store: Store, stored: StoredPaymentMethod, customer: string, call: Call | null): void {
  const { object } = stored;
  const checks = object.card?.checks;
  const failing = testCard(stored.card).checks;
  for (const name of ['address_line1_check', 'address_postal_code_check', 'cvc_check'] as const)
    if (checks?.[name]) checks[name] = failing?.[name] ?? 'pass';
  if (object.customer === customer) return;
  object.customer = customer;
  store.save('payment_method', stored);
  recordEvent(store, { type: 'payment_method.attached', object, ...requestOf(call) });
}

/** @param call the request; null for a change in the Dashboard */
export function detach(store: Store, stored: StoredPaymentMethod, call: Call | null): void {
  const { object } = stored;
  const previous = { customer: object.customer };
  object.customer = null;
  stored.isDetached = true;
  store.save('payment_method', stored);
  recordEvent(store, { type: 'payment_method.detached', object, previous, ...requestOf(call) });
}

/** A payment method of a deleted customer still names it, but is not attached. */
export function isAttached(store: Store, { customer }: Stripe.PaymentMethod): boolean {
  return typeof customer === 'string' && store.find('customer', customer)?.object.deleted !== true;
}
