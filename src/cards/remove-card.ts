import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cards } from '#db/schema.ts';
import { DomainError } from '#src/errors.ts';
import { tokenHash } from '#src/tokens.ts';
import type { CardContext } from './card.ts';
import { auditCards, type CardRow } from './card-queries.ts';
import { tryDetach } from './detach-card.ts';
import { dueNow, leaseTo } from './lease-queries.ts';

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

type CardSelector = { uuid: string } | { id: number };

const isSelected = (card: CardSelector) =>
  'uuid' in card ? eq(cards.uuid, card.uuid) : eq(cards.id, card.id);

/** Removes a card. No reader sees it after this statement. */
async function beginRemoval(
  db: Database,
  instanceId: number | null,
  customerId: number,
  card: CardSelector,
  removalKey: Buffer | null,
): Promise<CardRow | undefined> {
  const removed = db.$with('removed').as(
    db
      .update(cards)
      .set({ state: 'removing', ...leaseTo(instanceId), ...dueNow, removalKey, updatedAt: sql`now()` })
      .where(and(eq(cards.customerId, customerId), eq(cards.state, 'active'), isSelected(card)))
      .returning(),
  );
  const audited = db.$with('audited', {}).as(auditCards('card.removed', sql`removed`));
  const [row] = await db.with(removed, audited).select().from(removed);
  return row;
}

/** The card that a request with this key removed before it could respond. */
async function findRemovedBy(
  db: Database,
  customerId: number,
  card: CardSelector,
  removalKey: Buffer,
): Promise<CardRow | undefined> {
  const isRemovedByIt = eq(cards.removalKey, removalKey);
  const [row] = await db
    .select()
    .from(cards)
    .where(and(eq(cards.customerId, customerId), isSelected(card), isRemovedByIt));
  return row;
}
