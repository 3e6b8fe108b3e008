import { DomainError } from '#src/errors.ts';
import { tokenHash } from '#src/tokens.ts';
import type { CardContext } from './card.ts';
import { beginRemoval, type CardRow, type CardSelector, findRemovedBy } from './card-queries.ts';
import { tryDetach } from './detach-card.ts';

type Removal = {
  customerId: number;
  /** The card's uuid or its integer id. */
  selector: string;
  /** Lets a retry after a crash succeed. */
  idempotencyKey: string | null;
};

/**
 * Removes a card. If the provider is down, the completer detaches the card later.
 * @throws DomainError card_not_found, also for another customer's card
 */
export async function removeCard(ctx: CardContext, input: Removal): Promise<void> {
  const row = await markRemoving(ctx, input);
  if (!row) throw new DomainError('card_not_found', 'No such card on file.');
  if (row.state === 'removing') await tryDetach(ctx, row);
}

async function markRemoving(
  ctx: CardContext,
  { customerId, selector, idempotencyKey }: Removal,
): Promise<CardRow | undefined> {
  const id = /^\d+$/.test(selector) ? Number(selector) : null;
  if (id !== null && !Number.isSafeInteger(id)) return undefined;
  const card: CardSelector = id === null ? { uuid: selector } : { id };
  const key = idempotencyKey === null ? null : tokenHash(idempotencyKey);
  const row = await beginRemoval(ctx.db, ctx.instanceId(), customerId, card, key);
  return row ?? (key ? findRemovedBy(ctx.db, customerId, card, key) : undefined);
}
