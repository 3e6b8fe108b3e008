import type { CardObject } from '#src/api/schemas.ts';
import type { Month } from '#src/cards/default-card.ts';

export const brandNames: Record<CardObject['brand'], string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  unknown: 'Card',
};

/** @param name as Stripe.js reports it */
export function brandOf(name: string): CardObject['brand'] {
  const isKnown = (brand: string): brand is CardObject['brand'] => brand in brandNames;
  return isKnown(name) ? name : 'unknown';
}

/** `Visa ending in 4242` */
export function cardName(card: CardObject): string {
  return card.last4 ? `${brandNames[card.brand]} ending in ${card.last4}` : brandNames[card.brand];
}

/** @returns 0 in the card's last month, negative after it, null when the expiry is unknown */
export function monthsLeft(card: CardObject, now: Month): number | null {
  if (card.expMonth === null || card.expYear === null) return null;
  return (Number(card.expYear) - now.year) * 12 + Number(card.expMonth) - now.month;
}

export type Expiry = 'valid' | 'expires_soon' | 'expired';

const expiresSoonMonths = 2;

export function expiryOf(card: CardObject, now: Month): Expiry {
  const left = monthsLeft(card, now);
  if (left === null || left > expiresSoonMonths) return 'valid';
  return left < 0 ? 'expired' : 'expires_soon';
}

/** @returns a sentence if no card on file is valid, undefined also without cards */
export function expiredSentence(cards: CardObject[], now: Month): string | undefined {
  if (cards.length === 0 || cards.some((card) => expiryOf(card, now) !== 'expired')) return undefined;
  return cards.length === 1 ? 'Your card has expired.' : 'All of your cards have expired.';
}

/**
 * What changes for payments when a card is removed.
 * @param cards all cards on file, newest first
 */
export function afterRemoval(card: CardObject, cards: CardObject[], now: Month): string {
  const others = cards.filter(({ id }) => id !== card.id);
  if (others.length === 0) return 'It’s your only card, so you’ll need another one to pay your balance.';
  if (!card.isDefault) return '';
  const next = others.find((other) => expiryOf(other, now) !== 'expired');
  return next
    ? `${cardName(next)} will be your default.`
    : 'Your other cards have expired, so you’ll need another one to pay your balance.';
}
