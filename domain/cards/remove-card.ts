import { beginRemoval } from '#db/queries/cards.ts';
import { DomainError } from '#domain/errors.ts';
import { ProviderError } from '#payments/provider.ts';
import type { CardContext } from './context.ts';
import { detachCard } from './detach-card.ts';

/** The largest id that the database can hold: a larger one is nobody's. */
const largestId = 2 ** 31 - 1;

/**
 * Takes a card off file; when the provider is down, detaching it there is finished later.
 * @param input.selector the card's uuid or its integer id
 * @throws DomainError card_not_found, for another customer's card too
 */
export async function removeCard(
  ctx: CardContext,
  input: { customerId: number; selector: string },
): Promise<void> {
  const id = /^\d+$/.test(input.selector) ? Number(input.selector) : null;
  const row =
    id !== null && id > largestId
      ? undefined
      : await beginRemoval(ctx.db, input.customerId, id === null ? { uuid: input.selector } : { id });
  if (!row) throw new DomainError('card_not_found', 'No such card on file.');
  try {
    await detachCard(ctx, row);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
  }
}
