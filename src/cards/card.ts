import type { Database } from '#db/client.ts';
import type { InstanceLock } from '#db/instance-lock.ts';
import type { cards } from '#db/schema.ts';
import type { CardProvider } from '#src/payments/provider.ts';

/** An active card as shown to the customer. */
export type Card = Pick<
  typeof cards.$inferSelect,
  | 'id'
  | 'uuid'
  | 'last4'
  | 'brand'
  | 'funding'
  | 'addressCountry'
  | 'addressZip'
  | 'isApplePayCard'
  | 'postalCodeCheck'
  | 'expMonth'
  | 'expYear'
  | 'createdAt'
> & { isDefault: boolean };

/** Card networks, as the provider names them. */
export const cardBrands = [
  'visa',
  'mastercard',
  'amex',
  'discover',
  'diners',
  'jcb',
  'unionpay',
  'unknown',
] as const;

export type CardContext = {
  db: Database;
  /** The owner of the leases that this process takes. */
  instanceId: InstanceLock['instanceId'];
  provider: CardProvider;
};

/** The maximum number of provider idempotency keys per operation, and so of checks by the bank. */
export const bankRequestsMax = 10;

/** The maximum number of cards per customer. */
export const cardsMax = 20;

/** Why a card was not added: the reasons that a cardholder can act on. */
const failures = [
  'card_declined',
  'insufficient_funds',
  'card_velocity_exceeded',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'processing_error',
  'authentication_failed',
  'authentication_canceled',
  'authentication_abandoned',
  'authentication_expired',
  'card_already_added',
  'card_limit_reached',
] as const;
export type CardFailure = (typeof failures)[number];

/** Other names of the same failures. */
const synonyms: Record<string, CardFailure> = {
  withdrawal_count_limit_exceeded: 'card_velocity_exceeded',
  invalid_expiry_month: 'expired_card',
  invalid_expiry_year: 'expired_card',
  invalid_cvc: 'incorrect_cvc',
  invalid_number: 'incorrect_number',
  try_again_later: 'processing_error',
  provider_refused: 'processing_error',
  provider_failed: 'processing_error',
  authentication_required: 'authentication_failed',
  setup_intent_authentication_failure: 'authentication_failed',
};

/** All other reasons (lost, stolen, fraud, …) are reported as "declined". */
export function cardFailure(reason: string): CardFailure {
  return synonyms[reason] ?? failures.find((failure) => failure === reason) ?? 'card_declined';
}

/** Reasons for which a card was not added although no bank declined it. */
export const ownReasons = [
  'token_invalid',
  'abandoned',
  'authentication_expired',
  'provider_refused',
  'provider_failed',
  'card_already_added',
  'card_limit_reached',
];
