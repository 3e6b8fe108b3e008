import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import type { CardObject } from '#src/api/schemas.ts';
import type { Month } from '#src/cards/default-card.ts';
import { ApiError, isOutcomeUnknown, newIdempotencyKey } from '../api.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { FailureNotice } from '../ui/failure-notice.tsx';
import { Empty } from '../ui/panel.tsx';
import { toast } from '../ui/toast.tsx';
import { afterRemoval, cardName } from './card-format.ts';
import type { CardProps } from './card-parts.tsx';
import { type CardsProps, type CardToRemove, useCards, useRemoveCard } from './card-queries.ts';

type CardListProps = CardsProps & {
  Card: ComponentType<CardProps>;
  noteOf?: (card: CardObject) => ReactNode;
  className: string;
};

/** Takes the layout of a card, so that a page loads only its own. */
export function CardList({ initialCards, now, Card, noteOf, className }: CardListProps) {
  const cards = useCards(initialCards).toSorted((a, b) => b.id - a.id);
  const [failures, setFailures] = useState<FailedRemoval[]>([]);
  const remove = useRemoveCard({
    onRemoved: ({ card }) => toast(`${cardName(card)} was removed.`),
    onFailed: (error, removal) => {
      setFailures((all) => [...withoutCard(all, removal), { error, removal }]);
      // The customer has gone to another page.
      if (!list.current) toast(outcomeOf({ error, removal }));
    },
  });
  const [toRemove, setToRemove] = useState<CardObject | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const start = (removal: CardToRemove) => {
    setFailures((all) => withoutCard(all, removal));
    remove.mutate(removal);
  };
  const confirm = (card: CardObject) => {
    setToRemove(null);
    // The focused button disappears with its card.
    list.current?.focus();
    start({ card, idempotencyKey: newIdempotencyKey(), isUncertain: false });
  };
  return (
    <div ref={list} tabIndex={-1} className="grid gap-4 outline-none">
      {failures.map((failed) => (
        <RemovalFailure key={failed.removal.card.id} {...failed} onRetry={start} />
      ))}
      {cards.length === 0 ? (
        <Empty title="No cards on file">Add a card to pay your balance.</Empty>
      ) : (
        <ul className={className}>
          {cards.map((card) => (
            <li key={card.uuid}>
              <Card
                card={card}
                now={now}
                note={noteOf?.(card)}
                action={<RemoveButton card={card} onPress={() => setToRemove(card)} />}
              />
            </li>
          ))}
        </ul>
      )}
      <RemoveDialog
        card={toRemove}
        cards={cards}
        now={now}
        onConfirm={confirm}
        onCancel={() => setToRemove(null)}
      />
    </div>
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

type FailedRemoval = { error: unknown; removal: CardToRemove };

const withoutCard = (failures: FailedRemoval[], { card }: CardToRemove) =>
  failures.filter(({ removal }) => removal.card.id !== card.id);

type RemovalFailureProps = FailedRemoval & { onRetry: (removal: CardToRemove) => void };

const unconfirmed = ({ card }: CardToRemove) => `We couldn’t confirm that ${cardName(card)} was removed.`;

const outcomeOf = ({ error, removal }: FailedRemoval) =>
  removal.isUncertain || isOutcomeUnknown(error)
    ? unconfirmed(removal)
    : `${cardName(removal.card)} is still on file.`;

function RemovalFailure({ error, removal, onRetry }: RemovalFailureProps) {
  const { isUncertain } = removal;
  // The list can be longer than the window.
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    notice.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const isRateLimited = error instanceof ApiError && error.failure === 'rate_limited';
  const retry = () => onRetry({ ...removal, isUncertain: isUncertain || isOutcomeUnknown(error) });
  return (
    <div ref={notice}>
      <FailureNotice
        error={error}
        outcome={outcomeOf({ error, removal })}
        unknownOutcome={`${unconfirmed(removal)} It’s safe to try again.`}
        // After the wait, the card's own button is there.
        onRetry={isRateLimited && !isUncertain ? undefined : retry}
      />
    </div>
  );
}

type RemoveDialogProps = {
  card: CardObject | null;
  cards: CardObject[];
  now: Month;
  onConfirm: (card: CardObject) => void;
  onCancel: () => void;
};

function RemoveDialog({ card, cards, now, onConfirm, onCancel }: RemoveDialogProps) {
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
      {card && ` ${afterRemoval(card, cards, now)}`}
    </ConfirmDialog>
  );
}
