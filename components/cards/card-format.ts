import type { CardObject } from '#src/api/schemas/card.ts';
import { dateFormat } from '../ui/date-format.ts';

export type Month = { year: number; month: number };

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

/** A brand as the provider's form names it while one types. */
export function brandOf(name: string): CardObject['brand'] {
  const isKnown = (one: string): one is CardObject['brand'] => one in brandNames;
  return isKnown(name) ? name : 'unknown';
}

/** `Visa ending in 4242`: how a sentence speaks of the card. */
export function cardName(card: CardObject): string {
  return card.last4 ? `${brandNames[card.brand]} ending in ${card.last4}` : brandNames[card.brand];
}

/** `credit`, `debit`, `prepaid`, as a person would say it; nothing where it is not known. */
export function fundingName(card: CardObject): string {
  return card.funding && card.funding !== 'unknown'
    ? `${card.funding[0]?.toUpperCase()}${card.funding.slice(1)}`
    : '';
}

/** The month it is in the zone, by which cards expire at its end. */
export function monthIn(timeZone: string, now = new Date()): Month {
  const parts = dateFormat({
    timeZone,
    year: 'numeric',
    month: 'numeric',
  }).formatToParts(now);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return { year: part('year'), month: part('month') };
}

/** Whole months until a card's last month; 0 in that month, negative after it, null where it is not known. */
export function monthsLeft(card: CardObject, now: Month): number | null {
  if (card.expMonth === null || card.expYear === null) return null;
  return (Number(card.expYear) - now.year) * 12 + Number(card.expMonth) - now.month;
}

export type Expiry = 'fine' | 'soon' | 'expired';

/** Soon is the last month and the two before it. */
export function expiryOf(card: CardObject, now: Month): Expiry {
  const left = monthsLeft(card, now);
  if (left === null || left > 2) return 'fine';
  return left < 0 ? 'expired' : 'soon';
}

/** The card that stands ready: the newest that has not expired. */
export function readyCard(cards: CardObject[], now: Month): CardObject | undefined {
  return newestFirst(cards).find((card) => expiryOf(card, now) !== 'expired');
}

export function newestFirst(cards: CardObject[]): CardObject[] {
  return [...cards].sort((one, other) => other.id - one.id);
}
