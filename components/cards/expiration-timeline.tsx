'use client';

import type { CardObject } from '#src/api/schemas.ts';
import { classNames } from '../ui/class-names.ts';
import { monthTitle } from '../ui/dates.tsx';
import { Panel } from '../ui/panel.tsx';
import { cardName, expiryOf, monthsLeft } from './card-format.ts';
import { type CardsProps, useCards } from './card-queries.ts';

/** Few cards are valid for longer. */
const scaleYears = 5;
const rowClass = 'grid items-center gap-x-4 gap-y-1 sm:grid-cols-[13rem_1fr_15rem]';

/** How long each card is valid, next to the others. A single card shows that itself. */
export function ExpirationTimeline({ initialCards, now }: CardsProps) {
  const dated = useCards(initialCards).flatMap((card) => {
    const left = monthsLeft(card, now);
    return left === null ? [] : [{ card, left }];
  });
  if (dated.length < 2) return null;
  const years = Math.max(scaleYears, ...dated.map(({ left }) => Math.ceil((left + 1) / 12)));
  return (
    <Panel id="expiration" title="Expiration timeline">
      <dl className="divide-y divide-line">
        {dated
          .toSorted((a, b) => a.left - b.left)
          .map(({ card, left }) => (
            <div key={card.uuid} className={classNames(rowClass, 'py-2.5 first:pt-0')}>
              <dt>{cardName(card)}</dt>
              <dd className="contents">
                <svg aria-hidden="true" className="h-2 w-full">
                  <rect width="100%" height="100%" rx="4" className="fill-sunken" />
                  <rect
                    width={`${(Math.max(0, left + 1) / (12 * years)) * 100}%`}
                    height="100%"
                    rx="4"
                    className={expiryOf(card, now) === 'valid' ? 'fill-accent' : 'fill-warn'}
                  />
                </svg>
                <span className="text-muted tabular-nums sm:text-right">{expirationText(card, left)}</span>
              </dd>
            </div>
          ))}
      </dl>
      <p aria-hidden="true" className={classNames(rowClass, 'text-small text-muted')}>
        <span className="flex justify-between sm:col-start-2">
          <span>Today</span>
          <span>{years} years</span>
        </span>
      </p>
    </Panel>
  );
}

/** `November 2027, in 12 months` */
function expirationText({ expMonth, expYear }: CardObject, left: number): string {
  const month = monthTitle(`${expYear}-${expMonth}`);
  if (left < 0) return `Expired in ${month}`;
  const when = left === 0 ? 'this month' : left === 1 ? 'next month' : `in ${duration(left)}`;
  return `${month}, ${when}`;
}

const duration = (months: number) =>
  months <= 12 * scaleYears ? `${months} months` : `${Math.round(months / 12)} years`;
