'use client';

import { useRef, useState } from 'react';
import type { CardObject } from '#src/api/schemas.ts';
import type { Month } from '#src/cards/default-card.ts';
import { isOutcomeUnknown, isRateLimited } from '../api.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { FailureNotice } from '../ui/failure-notice.tsx';
import { Empty } from '../ui/panel.tsx';
import { toast } from '../ui/toast.tsx';
import { cardName } from './card-format.ts';
import { type CardToRemove, useCards, useRemoveCard } from './card-queries.ts';
import { PaymentCard, PaymentCardRow } from './payment-card.tsx';

type CardListProps = {
  initialCards: CardObject[];
  now: Month;
  layout: 'grid' | 'rows';
  /** The UUIDs of cards whose ZIP or postal code is not the one that the bank knows. */
  mismatchedPostalCodes?: string[];
};

export function CardList({ initialCards, now, layout, mismatchedPostalCodes = [] }: CardListProps) {
  const Card = layout === 'grid' ? PaymentCard : PaymentCardRow;
  const cards = useCards(initialCards).data.toSorted((a, b) => b.id - a.id);
  const remove = useRemoveCard();
  const [toRemove, setToRemove] = useState<CardObject | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const start = (removal: CardToRemove) =>
    remove.mutate(removal, { onSuccess: () => toast(`${cardName(removal.card)} was removed.`) });
  const confirm = (card: CardObject) => {
    setToRemove(null);
    // The focused button disappears with its card.
    list.current?.focus();
    start({ card, idempotencyKey: crypto.randomUUID(), isUncertain: false });
  };
  const failed = remove.isError ? remove.variables : undefined;
  return (
    <div ref={list} tabIndex={-1} className="grid gap-4 outline-none">
      {failed && <RemovalFailure error={remove.error} removal={failed} onRetry={start} />}
      {cards.length === 0 ? (
        <Empty title="No cards on file">Add a card to pay your balance.</Empty>
      ) : (
        <ul className={listClasses[layout]}>
          {cards.map((card) => (
            <li key={card.uuid}>
              <Card
                card={card}
                now={now}
                note={mismatchedPostalCodes.includes(card.uuid) && <PostalCodeNote card={card} />}
                action={<RemoveButton card={card} onPress={() => setToRemove(card)} />}
              />
            </li>
          ))}
        </ul>
      )}
      <RemoveDialog
        card={toRemove}
        isOnly={cards.length === 1}
        onConfirm={confirm}
        onCancel={() => setToRemove(null)}
      />
    </div>
  );
}

const listClasses = {
  grid: 'grid grid-cols-[repeat(auto-fill,minmax(min(100%,17.5rem),1fr))] gap-4',
  rows: 'divide-y divide-line *:py-2.5 *:first:pt-0 *:last:pb-0',
};

function PostalCodeNote({ card }: { card: CardObject }) {
  const code = card.addressCountry === 'US' || card.addressCountry === null ? 'ZIP code' : 'postal code';
  return (
    <p className="text-small">
      Your bank says the {code} doesn’t match. To correct it, remove this card and add it again.
    </p>
  );
}

function RemoveButton({ card, onPress }: { card: CardObject; onPress: () => void }) {
  return (
    <button
      type="button"
      onClick={onPress}
      aria-label={`Remove ${cardName(card)}`}
      className="hit link -my-2 text-small font-medium noscript:hidden"
    >
      Remove
    </button>
  );
}

type RemovalFailureProps = {
  error: unknown;
  removal: CardToRemove;
  onRetry: (removal: CardToRemove) => void;
};

function RemovalFailure({ error, removal, onRetry }: RemovalFailureProps) {
  const { card, isUncertain } = removal;
  const name = cardName(card);
  const unconfirmed = `We couldn’t confirm that ${name} was removed.`;
  const retry = () => onRetry({ ...removal, isUncertain: isUncertain || isOutcomeUnknown(error) });
  return (
    <FailureNotice
      error={error}
      outcome={isUncertain ? unconfirmed : `${name} is still on file.`}
      unknownOutcome={`${unconfirmed} It’s safe to try again.`}
      // After the wait, the card's own button is there.
      onRetry={isRateLimited(error) && !isUncertain ? undefined : retry}
    />
  );
}

type RemoveDialogProps = {
  card: CardObject | null;
  isOnly: boolean;
  onConfirm: (card: CardObject) => void;
  onCancel: () => void;
};

function RemoveDialog({ card, isOnly, onConfirm, onCancel }: RemoveDialogProps) {
  return (
    <ConfirmDialog
      isOpen={card !== null}
      title={card ? `Remove ${cardName(card)}?` : ''}
      confirmLabel="Remove card"
      cancelLabel="Keep card"
      onConfirm={() => card && onConfirm(card)}
      onCancel={onCancel}
    >
      This card will be removed immediately. You can add it again later.
      {isOnly && ' It’s your only card, so you’ll need another one to pay your balance.'}
    </ConfirmDialog>
  );
}
