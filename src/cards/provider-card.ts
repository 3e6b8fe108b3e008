import type { ProviderCard } from '#src/payments/provider.ts';
import { cardBrands } from './card.ts';

const synonyms: Record<string, string> = { americanexpress: 'amex', dinersclub: 'diners' };

/** Normalizes brands: the provider returns both `amex` and `American Express`. */
export function normalizedBrand(text: string | null | undefined): string {
  const name = (text ?? '').toLowerCase().replace(/[^a-z]/g, '');
  return cardBrands.find((brand) => brand === (synonyms[name] ?? name)) ?? 'unknown';
}

/** Card details from a request. */
export type ClaimedCard = {
  last4?: string | undefined;
  brand?: string | undefined;
  funding?: string | undefined;
  addressCountry?: string | undefined;
  addressZip?: string | undefined;
  isApplePayCard?: boolean | undefined;
  expMonth?: string | undefined;
  expYear?: string | undefined;
};

/** The columns of a card. The provider's values take precedence over the request's. */
export function cardColumns(card: ProviderCard, claimed: ClaimedCard) {
  const brand = normalizedBrand(card.brand);
  return {
    paymentMethodId: card.paymentMethodId,
    fingerprint: card.fingerprint,
    last4: card.last4 ?? claimed.last4 ?? null,
    brand: brand === 'unknown' ? normalizedBrand(claimed.brand) : brand,
    funding: card.funding ?? claimed.funding?.toLowerCase() ?? null,
    addressCountry: card.addressCountry ?? claimed.addressCountry ?? null,
    addressZip: card.addressZip ?? claimed.addressZip ?? null,
    isApplePayCard: card.isApplePayCard,
    postalCodeCheck: card.postalCodeCheck,
    expMonth: card.expMonth ?? numberOf(claimed.expMonth),
    expYear: card.expYear ?? fullYear(claimed.expYear),
  };
}

function numberOf(text: string | undefined): number | null {
  return text ? Number(text) : null;
}

function fullYear(text: string | undefined): number | null {
  const year = numberOf(text);
  return year !== null && year < 100 ? 2000 + year : year;
}

/**
 * The idempotency key of one step of an operation at the provider: the same for every retry, and new after a failure
 * that the provider stores for the key. It contains random parts, so that two databases can share one provider account.
 */
export function providerKey(step: 'pm' | 'si' | 'det', card: { uuid: string; attempt: number }): string {
  return withAttempt(`${step}:${card.uuid}`, card.attempt);
}

export function providerCustomerKey(customer: { id: number; createdAt: Date }, attempt: number): string {
  return withAttempt(`cus:${customer.id}:${customer.createdAt.getTime()}`, attempt);
}

function withAttempt(key: string, attempt: number): string {
  return attempt === 0 ? key : `${key}:${attempt}`;
}
