'use client';

import type { CardObject } from '#src/api/schemas.ts';
import { classNames } from '../ui/class-names.ts';
import { brandNames, expiryOf } from './card-format.ts';
import { CardList } from './card-list.tsx';
import { BrandMark, type CardProps, CardState, Digits, expiryText, typeOf } from './card-parts.tsx';
import type { CardsProps } from './card-queries.ts';

type CardGridProps = CardsProps & {
  /** The UUIDs of cards whose ZIP or postal code is not the one that the bank knows. */
  mismatchedPostalCodes: string[];
};

export function CardGrid({ mismatchedPostalCodes, ...cards }: CardGridProps) {
  return (
    <CardList
      {...cards}
      Card={PaymentCard}
      noteOf={(card) => mismatchedPostalCodes.includes(card.uuid) && <PostalCodeNote card={card} />}
      className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,17.5rem),1fr))] gap-4"
    />
  );
}

function PaymentCard({ card, now, note, action }: CardProps) {
  const isExpired = expiryOf(card, now) === 'expired';
  return (
    <div
      className={classNames(
        'flex min-h-46 w-full max-w-96 flex-col justify-between gap-3 rounded-panel border p-5',
        card.isDefault && 'border-ink bg-ink text-surface',
        isExpired && 'border-line-firm text-muted',
        !card.isDefault && !isExpired && 'border-line-firm bg-raised',
      )}
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <BrandMark brand={card.brand} className="h-7 w-10.5" />
        <p className="min-w-0 flex-auto leading-tight font-medium">
          {brandNames[card.brand]}
          <span className="block text-small font-normal">{typeOf(card)}</span>
        </p>
        <CardState card={card} now={now} />
      </div>
      <Digits card={card} className="text-lead tracking-wider" />
      {note}
      <div className="flex flex-wrap items-baseline-last justify-between gap-x-4">
        <dl className="flex flex-wrap gap-x-5 gap-y-1 text-small">
          <div>
            <dt>{isExpired ? 'Expired' : 'Expires'}</dt>
            <dd className="font-mono">{expiryText(card)}</dd>
          </div>
          {card.addressZip && (
            <div>
              <dt>Billing</dt>
              <dd>{[card.addressZip, card.addressCountry].filter(Boolean).join(', ')}</dd>
            </div>
          )}
        </dl>
        {action}
      </div>
    </div>
  );
}

function PostalCodeNote({ card }: { card: CardObject }) {
  const code = card.addressCountry === 'US' || card.addressCountry === null ? 'ZIP code' : 'postal code';
  return (
    <p className="text-small">
      Your bank says the {code} doesn’t match. To correct it, remove this card and add it again.
    </p>
  );
}
