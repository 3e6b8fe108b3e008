'use client';

import type { CardObject } from '#src/api/schemas.ts';
import type { Month } from '#src/cards/default-card.ts';
import { cardName, expiryOf, monthsLeft } from '../cards/card-format.ts';
import { useCards } from '../cards/card-queries.ts';
import { inactiveCityAlert } from '../service-area/format.ts';
import { Notice } from '../ui/notice.tsx';
import { useSupportContact } from '../ui/support-contact.tsx';
import { SupportText } from '../ui/support-text.tsx';

type AccountAlertsProps = {
  initialCards: CardObject[];
  now: Month;
  isEmailConfirmed: boolean;
  /** The city's name, if it is inactive. */
  inactiveCity: string | null;
};

type Alert = { title: string; advice: string };

/** Most urgent first. */
export function AccountAlerts({ initialCards, now, ...account }: AccountAlertsProps) {
  const cards = useCards(initialCards).data;
  const contact = useSupportContact();
  const alerts = [
    ...cityAlerts(account, contact),
    ...cardAlerts(cards, now),
    ...emailAlerts(account, contact),
  ];
  // Without a card, the list of cards says what to do.
  if (alerts.length === 0)
    return cards.length > 0 && <p className="-mt-5 mb-6 text-muted">No action needed.</p>;
  return (
    <section aria-label="Account alerts" className="mb-6 grid gap-3">
      {alerts.map(({ title, advice }) => (
        <Notice key={title} tone="warn" title={title}>
          <SupportText text={advice} contact={contact} />
        </Notice>
      ))}
    </section>
  );
}

type Account = Omit<AccountAlertsProps, 'initialCards' | 'now'>;

function cityAlerts({ inactiveCity }: Account, contact: string): Alert[] {
  return inactiveCity ? [inactiveCityAlert(inactiveCity, contact)] : [];
}

function emailAlerts({ isEmailConfirmed }: Account, contact: string): Alert[] {
  if (isEmailConfirmed) return [];
  const title = 'Your email address isn’t confirmed.';
  return [{ title, advice: `Contact ${contact} to resend the confirmation email.` }];
}

/** Expired cards matter only if all of them have expired, and an upcoming expiry only for the default card. */
function cardAlerts(cards: CardObject[], now: Month): Alert[] {
  if (cards.length > 0 && cards.every((card) => expiryOf(card, now) === 'expired')) {
    return [
      {
        title: 'All of your cards have expired.',
        advice: 'Add a new card so we can collect your next payment.',
      },
    ];
  }
  const card = cards.find(({ isDefault }) => isDefault);
  if (!card || expiryOf(card, now) !== 'expires_soon') return [];
  const left = monthsLeft(card, now);
  const when =
    left === 0 ? 'at the end of this month' : left === 1 ? 'at the end of next month' : 'in two months';
  return [
    {
      title: `${cardName(card)} expires ${when}.`,
      advice:
        'When your replacement arrives, add it here. If the number is the same, it replaces the old card automatically.',
    },
  ];
}
