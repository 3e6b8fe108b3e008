'use client';

import type { CardObject } from '#src/api/schemas.ts';
import type { Month } from '#src/cards/default-card.ts';
import { cardName, expiredSentence, expiryOf, monthsLeft } from '../cards/card-format.ts';
import { type CardsProps, useCards } from '../cards/card-queries.ts';
import { UnconfirmedEmailNotice } from '../profile/unconfirmed-email-notice.tsx';
import { InactiveCityNotice } from '../service-area/inactive-city-notice.tsx';
import { Notice } from '../ui/notice.tsx';

type AccountAlertsProps = CardsProps & {
  isEmailConfirmed: boolean;
  /** The city's name, if it is inactive. */
  inactiveCity: string | null;
};

/** Most urgent first. */
export function AccountAlerts({ initialCards, now, isEmailConfirmed, inactiveCity }: AccountAlertsProps) {
  const cards = useCards(initialCards);
  const cardAlert = cardAlertOf(cards, now);
  // Without a card, the list of cards says what to do.
  if (!inactiveCity && !cardAlert && isEmailConfirmed)
    return cards.length > 0 && <p className="-mt-5 mb-6 text-muted">No action needed.</p>;
  return (
    <section aria-label="Account alerts" className="mb-6 grid gap-3">
      {inactiveCity && <InactiveCityNotice cityName={inactiveCity} />}
      {cardAlert && (
        <Notice tone="warn" title={cardAlert.title}>
          {cardAlert.advice}
        </Notice>
      )}
      {!isEmailConfirmed && <UnconfirmedEmailNotice />}
    </section>
  );
}

type CardAlert = { title: string; advice: string };

/** Expired cards matter only if all of them have expired, and an upcoming expiry only for the default card. */
function cardAlertOf(cards: CardObject[], now: Month): CardAlert | undefined {
  const expired = expiredSentence(cards, now);
  if (expired) return { title: expired, advice: 'Add a new card so we can collect your next payment.' };
  const card = cards.find(({ isDefault }) => isDefault);
  if (!card || expiryOf(card, now) !== 'expires_soon') return undefined;
  const left = monthsLeft(card, now);
  const when =
    left === 0 ? 'at the end of this month' : left === 1 ? 'at the end of next month' : 'in two months';
  return {
    title: `${cardName(card)} expires ${when}.`,
    advice:
      'When your replacement arrives, add it here. If the number is the same, it replaces the old card automatically.',
  };
}
