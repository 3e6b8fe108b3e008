import type { ReactNode } from 'react';
import type { CardObject } from '#src/api/schemas.ts';
import type { Month } from '#src/cards/default-card.ts';
import { classNames } from '../ui/class-names.ts';
import { Badge } from '../ui/notice.tsx';
import { brandNames, expiryOf, fundingLabel } from './card-format.ts';

export type CardProps = {
  card: CardObject;
  now: Month;
  /** What the customer has to know of this card. */
  note?: ReactNode;
  action?: ReactNode;
};

export function PaymentCard({ card, now, note, action }: CardProps) {
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

export function PaymentCardRow({ card, now, action }: CardProps) {
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

function Digits({ card, className }: { card: CardObject; className?: string }) {
  return (
    <span className={classNames('font-mono', className)}>
      <span aria-hidden="true">•••• </span>
      <span className="sr-only">ending in </span>
      {card.last4 ?? 'unknown'}
    </span>
  );
}

function CardState({ card, now }: Pick<CardProps, 'card' | 'now'>) {
  const expiry = expiryOf(card, now);
  if (expiry === 'expired') return <Badge tone="bad">Expired</Badge>;
  return (
    <span className="flex flex-wrap gap-1">
      {expiry === 'expires_soon' && <Badge tone="warn">Expires soon</Badge>}
      {card.isDefault && <Badge tone="good">Default</Badge>}
    </span>
  );
}

function typeOf(card: CardObject): string {
  return [fundingLabel(card), card.isApplePayCard && 'Apple Pay'].filter(Boolean).join(', ');
}

function expiryText({ expMonth, expYear }: CardObject): string {
  return expMonth && expYear ? `${expMonth}/${expYear.slice(2)}` : 'unknown';
}

type BrandMarkProps = { brand: CardObject['brand']; className?: string };

/** Our own drawing, not the brand's trademark. */
export function BrandMark({ brand, className = 'h-6 w-9' }: BrandMarkProps) {
  return (
    <svg viewBox="0 0 36 24" aria-hidden="true" className={`shrink-0 ${className}`}>
      <rect x="0.5" y="0.5" width="35" height="23" rx="4" className="fill-raised stroke-line-firm" />
      {brand === 'unknown' ? (
        <g className="fill-line-firm">
          <rect x="0.5" y="6" width="35" height="4" />
          <rect x="5" y="15" width="10" height="2.5" rx="1" />
        </g>
      ) : (
        <text
          x="18"
          y="15.2"
          textAnchor="middle"
          className="fill-ink font-sans text-[9px] font-bold tracking-tight"
        >
          {brandLetters[brand]}
        </text>
      )}
    </svg>
  );
}

const brandLetters: Record<Exclude<CardObject['brand'], 'unknown'>, string> = {
  visa: 'VISA',
  mastercard: 'MC',
  amex: 'AMEX',
  discover: 'DISC',
  diners: 'DC',
  jcb: 'JCB',
  unionpay: 'UP',
};
