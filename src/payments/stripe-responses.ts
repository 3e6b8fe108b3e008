/** Converts Stripe's objects and errors into the provider's. */
import Stripe from 'stripe';
import {
  type CardSetup,
  type PostalCodeCheck,
  type ProviderCard,
  ProviderError,
  postalCodeChecks,
} from './provider.ts';

const tokenCodes = new Set(['token_already_used', 'resource_missing', 'payment_method_unexpected_state']);

/**
 * Runs an SDK call and converts its errors.
 * @param asksForToken whether an unknown object in the request is the caller's token and not our mistake
 * @throws ProviderError
 */
export async function mapStripeErrors<T>(asksForToken: boolean, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw asProviderError(error, asksForToken);
  }
}

/**
 * Like `mapStripeErrors`, for a read: it has no idempotency key for which the provider could store the failure.
 * @throws ProviderError
 */
export function mapReadErrors<T>(call: () => Promise<T>): Promise<T> {
  return mapStripeErrors(true, call).catch((error) => {
    if (!(error instanceof ProviderError && error.kind === 'unavailable')) throw error;
    throw new ProviderError(error.kind, error.reason, false, { cause: error.cause });
  });
}

function asProviderError(error: unknown, asksForToken: boolean): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const named = (kind: ProviderError['kind'], reason: string, isStored = false) =>
    new ProviderError(kind, reason, isStored, { cause: error });
  // Another request with the same key is in flight. The SDK has no class for this error.
  if (error.statusCode === 409) return named('unavailable', 'in_flight');
  if (error instanceof Stripe.errors.StripeCardError) {
    return named('card', error.decline_code || error.code || 'card_declined', true);
  }
  if (error instanceof Stripe.errors.StripeInvalidRequestError) {
    // The bank refused the authentication without a challenge.
    if (error.code === 'setup_intent_authentication_failure') return named('card', error.code, true);
    if (error.code === 'resource_missing' && error.param === 'customer')
      return named('unavailable', 'customer_missing', true);
    const isToken = asksForToken && (tokenCodes.has(error.code ?? '') || wasUsedBefore(error));
    return named(isToken ? 'token' : 'misuse', error.code || error.message, true);
  }
  if (error instanceof Stripe.errors.StripeAuthenticationError) return named('denied', error.type);
  if (error instanceof Stripe.errors.StripePermissionError) return named('denied', error.type);
  // The first request with the key had other parameters and may have succeeded: read the current state, then use a new key.
  if (error instanceof Stripe.errors.StripeIdempotencyError) return named('unavailable', 'key_reused', true);
  // An unreadable response is a StripeAPIError too. A retry with the same key returns it again.
  if (error instanceof Stripe.errors.StripeAPIError) {
    return named('unavailable', 'provider_failed', (error.statusCode ?? 0) >= 500);
  }
  if (error instanceof Stripe.errors.StripeConnectionError) return named('unavailable', 'not_reached');
  if (error instanceof Stripe.errors.StripeRateLimitError) return named('unavailable', 'rate_limited');
  return named('misuse', error.type);
}

/** The provider has no code for a detached or used payment method, only a message. */
function wasUsedBefore(error: InstanceType<typeof Stripe.errors.StripeInvalidRequestError>): boolean {
  return error.param === 'payment_method' || /previously used|detach/i.test(error.message);
}

/** @throws ProviderError unavailable while the provider processes it */
export function toSetup({
  id,
  status,
  next_action,
  client_secret,
  last_setup_error,
  latest_attempt,
  payment_method: method,
}: Stripe.SetupIntent): CardSetup {
  if (status === 'processing') throw new ProviderError('unavailable', 'in_flight', false);
  if (status === 'succeeded') {
    return {
      status: 'succeeded',
      paymentMethodId: typeof method === 'string' ? method : (method?.id ?? null),
      postalCodeCheck: typeof method === 'string' ? null : postalCodeCheckOf(method),
    };
  }
  if (status === 'canceled') return { status: 'canceled' };
  if (status === 'requires_action' && next_action && client_secret) {
    return { status: 'action_required', setupIntentId: id, clientSecret: client_secret };
  }
  const { decline_code, code } = last_setup_error ?? {};
  if (code === 'setup_intent_authentication_failure')
    return { status: 'failed', reason: unfinishedChallenge(latest_attempt) ?? code };
  return { status: 'failed', reason: decline_code || code || 'authentication_required' };
}

/**
 * Stripe.js reports a challenge that the cardholder left exactly as one that the bank rejected. Only the attempt tells them apart.
 * https://docs.stripe.com/api/setup_attempts/object
 */
function unfinishedChallenge(attempt: Stripe.SetupIntent['latest_attempt']): string | null {
  if (attempt === null || typeof attempt === 'string') return null;
  const reason = attempt.payment_method_details.card?.three_d_secure?.result_reason;
  return reason === 'canceled' || reason === 'abandoned' ? `authentication_${reason}` : null;
}

function postalCodeCheckOf(method: Stripe.PaymentMethod | null): PostalCodeCheck | null {
  const check = method?.card?.checks?.address_postal_code_check;
  return postalCodeChecks.find((known) => known === check) ?? null;
}

function attachedCustomer(customer: Stripe.PaymentMethod['customer']): string | null {
  if (typeof customer === 'string') return customer;
  return customer && !customer.deleted ? customer.id : null;
}

export function toCard(method: Stripe.PaymentMethod): ProviderCard {
  const { card, billing_details: billing, customer } = method;
  if (!card) throw new ProviderError('token', 'not_a_card', true);
  return {
    paymentMethodId: method.id,
    attachedTo: attachedCustomer(customer),
    fingerprint: card.fingerprint ?? null,
    last4: card.last4,
    brand: card.brand,
    funding: card.funding,
    addressCountry: billing.address?.country ?? null,
    addressZip: billing.address?.postal_code ?? null,
    isApplePayCard: card.wallet?.type === 'apple_pay',
    postalCodeCheck: postalCodeCheckOf(method),
    expMonth: card.exp_month,
    expYear: card.exp_year,
  };
}
