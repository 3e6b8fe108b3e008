import type { PaymentMethod, Stripe, StripeElements, StripeError, Token } from '@stripe/stripe-js';
import type { AddCardRequest } from '#src/api/operations/add-card.ts';
import { ApiError } from '../api.ts';
import type { Billing } from './billing-fields.tsx';
import type { CreatedRequest, Outcome } from './use-card-submission.ts';

/** Creates a token of the card fields. */
export async function requestOfFields(
  stripe: Stripe | null,
  elements: StripeElements | null,
  billing: Billing,
): Promise<CreatedRequest> {
  const number = elements?.getElement('cardNumber');
  if (!stripe || !number) return unreachable('provider');
  const { name, country, zip } = billing;
  const data = { name: name.trim(), address_country: country, address_zip: zip.trim() };
  try {
    const { token, error } = await stripe.createToken(
      number,
      Object.fromEntries(Object.entries(data).filter(([, value]) => value)),
    );
    return token ? { request: tokenRequest(token, billing) } : rejectedBy(error);
  } catch {
    return unreachable();
  }
}

/** Creates a payment method of the card that was chosen in a wallet. */
export async function requestOfWallet(
  stripe: Stripe | null,
  elements: StripeElements | null,
): Promise<CreatedRequest> {
  if (!stripe || !elements) return unreachable('provider');
  try {
    const submitted = await elements.submit();
    if (submitted.error) return rejectedBy(submitted.error);
    const { paymentMethod, error } = await stripe.createPaymentMethod({ elements });
    return paymentMethod ? { request: paymentMethodRequest(paymentMethod) } : rejectedBy(error);
  } catch {
    return unreachable();
  }
}

function rejectedBy({
  type,
  code,
  message,
}: StripeError | { type: string; code?: string; message?: string }): {
  rejected: Outcome;
} {
  const isAboutCard = type === 'card_error' || type === 'validation_error';
  if (!isAboutCard) return unreachable();
  return { rejected: { kind: 'rejected', code, message: message ?? 'Check the card details.' } };
}

/** Stripe.js failed or lost its connection. */
function unreachable(failure: 'provider' | 'offline' = navigator.onLine ? 'provider' : 'offline'): {
  rejected: Outcome;
} {
  return { rejected: { kind: 'failed', error: new ApiError(failure), isUncertain: false } };
}

function tokenRequest({ id, card }: Token, { country, zip }: Billing): AddCardRequest {
  return {
    token: id,
    card: {
      ...(card && detailsOf(card)),
      addressCountry: country,
      ...(zip.trim() && { addressZip: zip.trim() }),
      isApplePayCard: card?.tokenization_method === 'apple_pay',
    },
  };
}

function paymentMethodRequest({ id, card, billing_details }: PaymentMethod): AddCardRequest {
  const { country, postal_code } = billing_details.address ?? {};
  return {
    token: id,
    card: {
      ...(card && detailsOf(card)),
      ...(country && { addressCountry: country }),
      ...(postal_code && { addressZip: postal_code }),
      isApplePayCard: card?.wallet?.type === 'apple_pay',
    },
  };
}

function detailsOf({
  last4,
  brand,
  funding,
  exp_month,
  exp_year,
}: NonNullable<Token['card']> | PaymentMethod.Card) {
  return { last4, brand, funding, expMonth: String(exp_month), expYear: String(exp_year) };
}
