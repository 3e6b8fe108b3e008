'use client';

import type { CardObject } from '#src/api/schemas/card.ts';
import { cardName, expiryOf, type Month, monthsLeft, readyCard } from '../cards/card-format.ts';
import { useCards } from '../cards/card-queries.ts';
import { stoppedCity } from '../service-area/inactive-city.ts';
import { Notice } from '../ui/notice.tsx';
import { useSupportContact } from '../ui/support-contact.tsx';
import { SupportText } from '../ui/support-text.tsx';

type AttentionProps = {
  initialCards: CardObject[];
  now: Month;
  isEmailConfirmed: boolean;
  /** The city's name when deliveries are stopped there. */
  inactiveCity: string | null;
};

type Matter = { title: string; advice: string };

/** What wants something done, the most pressing first; nothing at all when all is well. */
export function Attention({ initialCards, now, ...account }: AttentionProps) {
  const cards = useCards(initialCards).data;
  const contact = useSupportContact();
  const matters = [
    ...cityMatters(account, contact),
    ...cardMatters(cards, now),
    ...emailMatters(account, contact),
  ];
  if (matters.length === 0) return null;
  return (
    <section aria-label="Needs attention" className="mb-6 grid gap-3">
      {matters.map(({ title, advice }) => (
        <Notice key={title} tone="warn" title={title}>
          <SupportText text={advice} contact={contact} />
        </Notice>
      ))}
    </section>
  );
}

type Account = Omit<AttentionProps, 'initialCards' | 'now'>;

function cityMatters({ inactiveCity }: Account, contact: string): Matter[] {
  return inactiveCity ? [stoppedCity(inactiveCity, contact)] : [];
}

function emailMatters({ isEmailConfirmed }: Account, contact: string): Matter[] {
  if (isEmailConfirmed) return [];
  const title = 'Your e-mail address is not confirmed.';
  return [{ title, advice: `Ask ${contact} to send you the confirmation again.` }];
}

/** An expired card matters only while none stands ready; one that expires soon only if it is the one that does. */
function cardMatters(cards: CardObject[], now: Month): Matter[] {
  const ready = readyCard(cards, now);
  if (cards.length > 0 && !ready) {
    return [
      {
        title: 'No card stands ready: every card has expired.',
        advice: 'Add a new card, so that one stands ready.',
      },
    ];
  }
  if (!ready || expiryOf(ready, now) !== 'soon') return [];
  const left = monthsLeft(ready, now);
  const when =
    left === 0 ? 'at the end of this month' : left === 1 ? 'at the end of next month' : 'in two months';
  return [
    {
      title: `${cardName(ready)} expires ${when}.`,
      advice: 'Add the new card when you have it; the same number takes the old one’s place.',
    },
  ];
}
