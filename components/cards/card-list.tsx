'use client';

import { useRef, useState } from 'react';
import type { CardObject } from '#contract/card.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { FailureNotice } from '../ui/failure-notice.tsx';
import { Empty } from '../ui/panel.tsx';
import { toast } from '../ui/toast.tsx';
import { cardName, type Month, newestFirst, readyCard } from './card-facts.ts';
import { useCards, useRemoveCard } from './card-queries.ts';
import { PaymentCard } from './payment-card.tsx';

type CardListProps = { initialCards: CardObject[]; now: Month };
type Removal = { card: CardObject; idempotencyKey: string };

/** The cards, the newest first, each with its way out. */
export function CardList({ initialCards, now }: CardListProps) {
  const cards = newestFirst(useCards(initialCards).data);
  const ready = readyCard(cards, now);
  const remove = useRemoveCard();
  const [asked, setAsked] = useState<CardObject | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const start = (removal: Removal) =>
    remove.mutate(removal, { onSuccess: () => toast(`${cardName(removal.card)} was removed.`) });
  const confirm = (card: CardObject) => {
    setAsked(null);
    // The button that had the focus leaves the page with its card.
    list.current?.focus();
    start({ card, idempotencyKey: crypto.randomUUID() });
  };
  const failed = remove.isError ? remove.variables : undefined;
  return (
    <div ref={list} tabIndex={-1} className="grid gap-4 outline-none">
      {failed && (
        <FailureNotice
          error={remove.error}
          safe={`${cardName(failed.card)} is still on file.`}
          onRetry={() => start(failed)}
        />
      )}
      {cards.length === 0 ? (
        <Empty title="No cards yet">
          Add a card and it stands ready for what you owe at the end of the month.
        </Empty>
      ) : (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,17.5rem),1fr))] gap-4">
          {cards.map((card) => (
            <li key={card.uuid}>
              <PaymentCard
                card={card}
                now={now}
                isReady={card === ready}
                action={
                  <Button
                    look="quiet"
                    className="-mr-3 -mb-2"
                    onClick={() => setAsked(card)}
                    aria-label={`Remove ${cardName(card)}`}
                  >
                    Remove
                  </Button>
                }
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
