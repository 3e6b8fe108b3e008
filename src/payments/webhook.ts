import Stripe from 'stripe';
import type { ProviderEvent } from './provider.ts';

/**
 * @param rawBody as it was received, byte for byte
 * @param signature the `Stripe-Signature` header
 * @returns null when the signature is missing, invalid, or too old, or no signing secret is configured
 */
export type VerifyEvent = (rawBody: string, signature: string | null) => ProviderEvent | null;

/** @param secrets any of them may have signed an event, so that they can be rotated */
export function createEventVerifier(
  stripe: Stripe,
  ...[secret, ...others]: (string | undefined)[]
): VerifyEvent {
  const verifyOthers = others.length > 0 ? createEventVerifier(stripe, ...others) : () => null;
  const { webhooks } = stripe;
  return (rawBody, signature) => {
    if (!secret || !signature) return verifyOthers(rawBody, signature);
    try {
      const event = webhooks.constructEvent(rawBody, signature, secret);
      const { id } = event.data.object as { id?: string };
      return {
        id: event.id,
        type: event.type,
        paymentMethodId: event.type.startsWith('payment_method.') ? (id ?? null) : null,
        providerCustomerId: event.type.startsWith('customer.') ? (id ?? null) : null,
        setupIntentId: event.type.startsWith('setup_intent.') ? (id ?? null) : null,
      };
    } catch (error) {
      // A body that is signed but is no event fails to parse.
      if (error instanceof Stripe.errors.StripeSignatureVerificationError)
        return verifyOthers(rawBody, signature);
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  };
}
