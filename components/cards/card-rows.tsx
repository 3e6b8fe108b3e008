'use client';

import { brandNames, expiryOf } from './card-format.ts';
import { CardList } from './card-list.tsx';
import { BrandMark, type CardProps, CardState, Digits, expiryText, typeOf } from './card-parts.tsx';
import type { CardsProps } from './card-queries.ts';

export function CardRows(cards: CardsProps) {
  return (
    <CardList
      {...cards}
      Card={PaymentCardRow}
      className="divide-y divide-line *:py-2.5 *:first:pt-0 *:last:pb-0"
    />
  );
}

function PaymentCardRow({ card, now, action }: CardProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <BrandMark brand={card.brand} className="h-7 w-10.5" />
      <div className="min-w-0 flex-[1_1_8rem]">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 leading-tight">
          <span className="font-medium">{brandNames[card.brand]}</span>
          <Digits card={card} />
        </p>
        <p className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-muted">
          {[typeOf(card), `${expiryOf(card, now) === 'expired' ? 'expired' : 'expires'} ${expiryText(card)}`]
            .filter(Boolean)
            .join(', ')}
          <CardState card={card} now={now} />
        </p>
      </div>
      {action}
    </div>
  );
}
