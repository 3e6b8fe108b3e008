import type { ReactNode } from 'react';
import type { CardObject } from '#contract/card.ts';
import { classNames } from '../ui/class-names.ts';
import { Badge } from '../ui/notice.tsx';
import { Brand } from './brand-mark.tsx';
import { expiryOf, fundingName, type Month } from './card-facts.ts';

type PaymentCardProps = { card: CardObject; now: Month; isReady?: boolean; action?: ReactNode };

/** A card, drawn as one. What matters about it is said in words. */
export function PaymentCard({ card, now, isReady = false, action }: PaymentCardProps) {
  const expiry = expiryOf(card, now);
  return (
    <div
      className={classNames(
        'flex min-h-48 w-full max-w-96 flex-col justify-between gap-4 rounded-panel border p-5',
        expiry === 'expired' ? 'border-dashed border-line-firm bg-surface' : 'border-line-firm bg-sunken',
      )}
    >
      <div className="flex flex-wrap items-start justify-between gap-2">
        <Brand brand={card.brand} />
        <CardState expiry={expiry} isReady={isReady} />
      </div>
      <p className="font-mono text-lead tracking-wider">
        <span aria-hidden="true" className="text-muted">
          ••••{' '}
        </span>
        <span className="sr-only">Ends in </span>
        {card.last4 ?? '????'}
      </p>
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <dl className="flex flex-wrap gap-x-6 gap-y-2 text-small">
          <div>
            <dt className="text-muted">{expiry === 'expired' ? 'Expired' : 'Expires'}</dt>
            <dd className="font-mono">
              {card.expMonth && card.expYear ? `${card.expMonth}/${card.expYear.slice(2)}` : 'not known'}
            </dd>
          </div>
          {fundingName(card) && (
            <div>
              <dt className="text-muted">Kind</dt>
              <dd>{card.isApplePayCard ? `${fundingName(card)}, Apple Pay` : fundingName(card)}</dd>
            </div>
          )}
          {card.addressZip && (
            <div>
              <dt className="text-muted">Billing</dt>
              <dd>{[card.addressZip, card.addressCountry].filter(Boolean).join(', ')}</dd>
            </div>
          )}
        </dl>
        {action}
      </div>
    </div>
  );
}

function CardState({ expiry, isReady }: { expiry: ReturnType<typeof expiryOf>; isReady: boolean }) {
  return (
    <span className="flex flex-wrap gap-1.5">
      {isReady && <Badge tone="good">Ready to pay</Badge>}
      {expiry === 'soon' && <Badge tone="warn">Expires soon</Badge>}
      {expiry === 'expired' && <Badge tone="bad">Expired</Badge>}
    </span>
  );
}
