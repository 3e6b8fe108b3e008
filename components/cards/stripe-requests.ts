import type { PaymentMethod, Stripe, StripeElements, Token } from '@stripe/stripe-js';
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
  const { country } = billing;
  const zip = billing.zip.trim();
  const data = { name: billing.name.trim(), address_country: country, address_zip: zip };
  try {
    const { token, error } = await stripe.createToken(
      number,
      Object.fromEntries(Object.entries(data).filter(([, value]) => value)),
    );
    if (!token) return rejectedBy(error);
    const isApplePayCard = token.card?.tokenization_method === 'apple_pay';
    return { request: requestOf(token.id, token.card, { country, zip }, isApplePayCard) };
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
    if (!paymentMethod) return rejectedBy(error);
    const { id, card, billing_details } = paymentMethod;
    const { country, postal_code: zip } = billing_details.address ?? {};
    return { request: requestOf(id, card, { country, zip }, card?.wallet?.type === 'apple_pay') };
  } catch {
    return unreachable();
  }
}

type Rejection = { rejected: Outcome };

function rejectedBy({ type, code, message }: { type: string; code?: string; message?: string }): Rejection {
  const isAboutCard = type === 'card_error' || type === 'validation_error';
  if (!isAboutCard) return unreachable();
  return { rejected: { kind: 'rejected', code, message: message ?? 'Check the card details.' } };
}

/** Stripe.js failed or lost its connection. */
function unreachable(failure: 'provider' | 'offline' = navigator.onLine ? 'provider' : 'offline'): Rejection {
  return { rejected: { kind: 'failed', error: new ApiError(failure), isUncertain: false } };
}

type CardDetails = NonNullable<Token['card']> | PaymentMethod.Card;
type Address = { country: string | null | undefined; zip: string | null | undefined };

function requestOf(
  id: string,
  card: CardDetails | undefined,
  { country, zip }: Address,
  isApplePayCard: boolean,
): AddCardRequest {
  return {
    token: id,
    card: {
      ...(card && {
        last4: card.last4,
        brand: card.brand,
        funding: card.funding,
        expMonth: String(card.exp_month),
        expYear: String(card.exp_year),
      }),
      ...(country && { addressCountry: country }),
      ...(zip && { addressZip: zip }),
      isApplePayCard,
    },
  };
}
