import { retriesMax } from '#src/cards/lease-queries.ts';
import type { ListedCard } from '#src/cards/list-cards.ts';
import type { NamedDifference } from '#src/cards/reconcile-cards.ts';
import type { Difference } from '#src/cards/reconcile-customer.ts';
import { formatInstant } from '#src/instant.ts';
import { keyValueLines, table } from './output.ts';

const nextAttemptAt = ({ card, isUnfinished, isStuck }: ListedCard) =>
  isUnfinished && !isStuck ? formatInstant(card.nextAttemptAt) : null;
const stateText = ({ card, isStuck }: ListedCard) => (isStuck ? `${card.state}, stuck` : card.state);
const retriesText = ({ card }: ListedCard) => `${card.retries} of ${retriesMax}`;

export function cardDocument(listed: ListedCard) {
  const { card, username, isStuck } = listed;
  return {
    id: card.id,
    uuid: card.uuid,
    username,
    state: card.state,
    is_stuck: isStuck,
    brand: card.brand,
    last4: card.last4,
    exp_month: card.expMonth,
    exp_year: card.expYear,
    payment_method: card.paymentMethodId,
    provider_customer: card.providerCustomerId,
    failure_code: card.failureCode,
    retries: card.retries,
    next_attempt_at: nextAttemptAt(listed),
    last_error: card.lastError,
    created_at: formatInstant(card.createdAt),
    updated_at: formatInstant(card.updatedAt),
  };
}

const numberText = ({ card }: ListedCard) =>
  card.last4 ? `${card.brand ?? 'card'} •••• ${card.last4}` : null;
const expiryText = ({ card }: ListedCard) =>
  card.expMonth && card.expYear ? `${String(card.expMonth).padStart(2, '0')}/${card.expYear}` : null;

export function cardLines(listed: ListedCard): string[] {
  const { card, username } = listed;
  return keyValueLines({
    card: card.uuid,
    customer: username,
    state: stateText(listed),
    number: numberText(listed),
    expires: expiryText(listed),
    'payment method': card.paymentMethodId,
    'provider customer': card.providerCustomerId,
    failure: card.failureCode,
    retries: retriesText(listed),
    'next attempt': nextAttemptAt(listed),
    'last error': card.lastError,
    created: formatInstant(card.createdAt),
    updated: formatInstant(card.updatedAt),
  });
}

export function cardTable(cards: ListedCard[]): string[] {
  return table(cards, {
    id: ({ card }) => card.id,
    card: ({ card }) => card.uuid,
    state: stateText,
    number: numberText,
    expires: expiryText,
    'payment method': ({ card }) => card.paymentMethodId,
    'provider customer': ({ card }) => card.providerCustomerId,
    retries: (listed) => (listed.isUnfinished ? retriesText(listed) : null),
    'next attempt': nextAttemptAt,
  });
}

/** What is left to do of cards that are not finished. */
export function unfinishedTable(cards: ListedCard[]): string[] {
  return table(cards, {
    customer: ({ username }) => username,
    card: ({ card }) => card.uuid,
    state: stateText,
    for: ({ card }) => durationText(Date.now() - card.updatedAt.getTime()),
    'payment method': ({ card }) => card.paymentMethodId,
    'last error': ({ card }) => card.lastError,
  });
}

const minuteMs = 60_000;

/** `3 d 4 h`, `4 h 5 min` */
function durationText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / minuteMs));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  return days > 0 ? `${days} d ${hours} h` : `${hours} h ${minutes % 60} min`;
}

const meanings: Record<Difference['kind'], string> = {
  removed: 'was detached at the provider; removed here',
  updated: 'had changed at the provider; updated here',
  detached: 'was removed here; detached at the provider',
  unknown: 'is attached at the provider, but is not a card here; check whose it is',
  missing: 'is not in the account that the provider keys belong to; the card was kept',
};

/** Whether someone has to look at it. */
export const isOpen = ({ kind }: Difference) => kind === 'unknown' || kind === 'missing';

export function differenceDocument({ kind, username, paymentMethodId, providerCustomerId }: NamedDifference) {
  return { kind, username, payment_method: paymentMethodId, provider_customer: providerCustomerId };
}

export function differenceTable(differences: NamedDifference[]): string[] {
  return table(differences, {
    customer: ({ username }) => username,
    'payment method': ({ paymentMethodId }) => paymentMethodId,
    'provider customer': ({ providerCustomerId }) => providerCustomerId,
    difference: ({ kind }) => meanings[kind],
  });
}
