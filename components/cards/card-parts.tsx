import type { ReactNode } from 'react';
import type { CardObject } from '#src/api/schemas.ts';
import type { Month } from '#src/cards/default-card.ts';
import { capitalize } from '#src/text.ts';
import { classNames } from '../ui/class-names.ts';
import { Badge } from '../ui/notice.tsx';
import { expiryOf } from './card-format.ts';

export type CardProps = {
  card: CardObject;
  now: Month;
  /** What the customer has to know of this card. */
  note: ReactNode;
  action: ReactNode;
};

export function Digits({ card, className }: { card: CardObject; className?: string }) {
  return (
    <span className={classNames('font-mono', className)}>
      <span aria-hidden="true">•••• </span>
      <span className="sr-only">ending in </span>
      {card.last4 ?? 'unknown'}
    </span>
  );
}

export function CardState({ card, now }: Pick<CardProps, 'card' | 'now'>) {
  const expiry = expiryOf(card, now);
  if (expiry === 'expired') return <Badge tone="bad">Expired</Badge>;
  return (
    <span className="flex flex-wrap gap-1">
      {expiry === 'expires_soon' && <Badge tone="warn">Expires soon</Badge>}
      {card.isDefault && <Badge tone="good">Default</Badge>}
    </span>
  );
}

/** `Credit, Apple Pay`, or empty. */
export function typeOf({ funding, isApplePayCard }: CardObject): string {
  const isKnown = funding && funding !== 'unknown';
  return [isKnown && capitalize(funding), isApplePayCard && 'Apple Pay'].filter(Boolean).join(', ');
}

export function expiryText({ expMonth, expYear }: CardObject): string {
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
