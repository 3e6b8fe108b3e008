'use client';

import { useRef, useState } from 'react';
import type { CardObject } from '#src/api/schemas/card.ts';
import { leavesOpen, mustWait } from '../api.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { FailureNotice } from '../ui/failure-notice.tsx';
import { Empty } from '../ui/panel.tsx';
import { toast } from '../ui/toast.tsx';
import { cardName, type Month, newestFirst, readyCard } from './card-format.ts';
import { type CardToRemove, useCards, useRemoveCard } from './card-queries.ts';
import { PaymentCard, PaymentCardRow } from './payment-card.tsx';

type CardListProps = {
  initialCards: CardObject[];
  now: Month;
  /** `drawn` as cards where they are the page; `rows` where they are one thing among others. */
  look: 'drawn' | 'rows';
};

/** The cards, the newest first, each with its way out. */
export function CardList({ initialCards, now, look }: CardListProps) {
  const Card = look === 'drawn' ? PaymentCard : PaymentCardRow;
  const cards = newestFirst(useCards(initialCards).data);
  const ready = readyCard(cards, now);
  const remove = useRemoveCard();
  const [asked, setAsked] = useState<CardObject | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const start = (removal: CardToRemove) =>
    remove.mutate(removal, { onSuccess: () => toast(`${cardName(removal.card)} was removed.`) });
  const confirm = (card: CardObject) => {
    setAsked(null);
    // The button that had the focus leaves the page with its card.
    list.current?.focus();
    start({ card, idempotencyKey: crypto.randomUUID(), isUnsure: false });
  };
  const failed = remove.isError ? remove.variables : undefined;
  return (
    <div ref={list} tabIndex={-1} className="grid gap-4 outline-none">
      {failed && <RemovalFailure error={remove.error} removal={failed} onRetry={start} />}
      {cards.length === 0 ? (
        <Empty title="No cards on file">Once you add one, it stands ready for what you owe.</Empty>
      ) : (
        <ul className={listClass[look]}>
          {cards.map((card) => (
            <li key={card.uuid}>
              <Card
                card={card}
                now={now}
                isReady={card === ready}
                action={<RemoveButton card={card} onPress={() => setAsked(card)} />}
              />
            </li>
          ))}
        </ul>
      )}
      <RemoveDialog
        card={asked}
        isOnly={cards.length === 1}
        onConfirm={confirm}
        onCancel={() => setAsked(null)}
      />
    </div>
  );
}

const listClass = {
  drawn: 'grid grid-cols-[repeat(auto-fill,minmax(min(100%,17.5rem),1fr))] gap-4',
  rows: 'divide-y divide-line *:py-2.5 *:first:pt-0 *:last:pb-0',
};

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
  const { card, isUnsure } = removal;
  const name = cardName(card);
  const notKnownYet = `We don’t know yet whether ${name} was removed.`;
  const retry = () => onRetry({ ...removal, isUnsure: isUnsure || leavesOpen(error) });
  return (
    <FailureNotice
      error={error}
      safe={isUnsure ? notKnownYet : `${name} is still on file.`}
      unsure={`${notKnownYet} Try again: it does no harm if it was.`}
      // Before the wait is over a try is of no use, and after it the card's own button is there.
      onRetry={mustWait(error) && !isUnsure ? undefined : retry}
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
      It can’t be used from the moment it is removed. To use it again, add it again.
      {isOnly && ' It is your only card.'}
    </ConfirmDialog>
  );
}
