import { DomainError } from '#src/errors.ts';
import { ProviderError } from '#src/payments/provider.ts';
import { tokenHash } from '#src/tokens.ts';
import { beginRemoval, type CardRow, type CardSelector, findRemovedBy } from './card-queries.ts';
import type { CardContext } from './context.ts';
import { detachCard } from './detach-card.ts';

/** The largest id that the database can hold: a larger one is nobody's. */
const idMax = 2 ** 31 - 1;

type Removal = {
  customerId: number;
  /** The card's uuid or its integer id. */
  selector: string;
  /** The same request again, after a crash, is not told that the card was not there. */
  idempotencyKey: string | null;
};

/**
 * Takes a card off file; when the provider is down, detaching it there is finished later.
 * @throws DomainError card_not_found, for another customer's card too
 */
export async function removeCard(ctx: CardContext, input: Removal): Promise<void> {
  const row = await takenOffFile(ctx, input);
  if (!row) throw new DomainError('card_not_found', 'No such card on file.');
  if (row.state !== 'removing') return;
  try {
    await detachCard(ctx, row);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
  }
}

async function takenOffFile(
  ctx: CardContext,
  { customerId, selector, idempotencyKey }: Removal,
): Promise<CardRow | undefined> {
  const id = /^\d+$/.test(selector) ? Number(selector) : null;
  if (id !== null && id > idMax) return undefined;
  const card: CardSelector = id === null ? { uuid: selector } : { id };
  const key = idempotencyKey === null ? null : tokenHash(idempotencyKey);
  const row = await beginRemoval(ctx.db, customerId, card, key);
  return row ?? (key ? findRemovedBy(ctx.db, customerId, card, key) : undefined);
}
