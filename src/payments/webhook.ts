import Stripe from 'stripe';
import type { ProviderEvent } from './provider.ts';

/**
 * @param rawBody as it was received, byte for byte
 * @param signature the `Stripe-Signature` header
 * @returns null when the signature is missing, invalid, or too old, or no signing secret is configured
 */
export type VerifyEvent = (rawBody: string, signature: string | null) => ProviderEvent | null;

/** @param secrets any of them may have signed an event, so that they can be rotated */
export function createEventVerifier(stripe: Stripe, ...secrets: (string | undefined)[]): VerifyEvent {
  return (rawBody, signature) => {
    for (const secret of secrets) {
      if (!secret || !signature) continue;
      try {
        const event = stripe.webhooks.constructEvent(rawBody, signature, secret);
        const { id: objectId = null } = event.data.object as { id?: string };
        return { id: event.id, type: event.type, objectId };
      } catch (error) {
        // A body that is signed but is no event fails to parse.
        if (error instanceof SyntaxError) return null;
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      }
    }
    return null;
  };
}
