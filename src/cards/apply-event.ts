import { and, eq, lte } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { daysAgo, deleteInBatches } from '#db/delete-in-batches.ts';
import { cards, providerEvents } from '#db/schema.ts';
import type { ProviderEvent } from '#src/payments/provider.ts';
import type { CardContext } from './card.ts';
import { continueSetup } from './finish-card.ts';
import { forgetProviderCustomer, syncCards } from './sync-cards.ts';

const cardEvents = new Set([
  'payment_method.updated',
  'payment_method.automatically_updated',
  'payment_method.detached',
]);

const setupEvents = new Set(['setup_intent.succeeded', 'setup_intent.setup_failed', 'setup_intent.canceled']);

/**
 * Synchronizes cards with the provider. The event only identifies the object; its current state is read from the provider,
 * so that events can be repeated and out of order. Only a deleted customer, which is final, is not read.
 * @throws ProviderError when the state could not be read; the provider then delivers the event again
 */
export async function applyEvent(ctx: CardContext, { id, type, objectId }: ProviderEvent): Promise<void> {
  if (await isEventHandled(ctx.db, id)) return;
  if (objectId !== null) {
    if (type === 'customer.deleted') await forgetProviderCustomer(ctx.db, objectId);
    if (cardEvents.has(type))
      await syncCards(ctx, objectId, { isDetached: type === 'payment_method.detached' });
    if (setupEvents.has(type)) {
      const isWaiting = and(eq(cards.setupIntentId, objectId), eq(cards.state, 'authenticating'));
      // One, as far as we know.
      for (const row of await ctx.db.select().from(cards).where(isWaiting)) await continueSetup(ctx, row);
    }
  }
  // Recorded last, so that an event that was not applied is delivered again.
  await ctx.db.insert(providerEvents).values({ id, type }).onConflictDoNothing();
}

/** Longer than the provider goes on delivering an event. */
const retentionDays = 30;

async function isEventHandled(db: Database, id: string): Promise<boolean> {
  return (await db.$count(providerEvents, eq(providerEvents.id, id))) > 0;
}

export function deleteOldEvents(db: Database): Promise<void> {
  return deleteInBatches(db, providerEvents, lte(providerEvents.createdAt, daysAgo(retentionDays)));
}
