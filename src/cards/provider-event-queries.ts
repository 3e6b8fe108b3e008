import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cards, customers, providerEvents } from '#db/schema.ts';
import type { CardRow } from './card-queries.ts';

/** Longer than the provider goes on delivering an event. */
const keptDays = 30;

export async function isEventHandled(db: Database, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: providerEvents.id })
    .from(providerEvents)
    .where(eq(providerEvents.id, id));
  return rows.length > 0;
}

export async function keepEvent(db: Database, event: { id: string; type: string }): Promise<void> {
  await db.insert(providerEvents).values({ id: event.id, type: event.type }).onConflictDoNothing();
}

export async function deleteOldEvents(db: Database): Promise<void> {
  await db
    .delete(providerEvents)
    .where(lte(providerEvents.createdAt, sql`now() - make_interval(days => ${keptDays})`));
}

/** A card on file takes over what the provider says of it now. */
export async function refreshActiveCard(
  db: Database,
  paymentMethodId: string,
  values: Partial<CardRow>,
): Promise<void> {
  await db
    .update(cards)
    .set({ ...values, updatedAt: sql`now()` })
    .where(and(eq(cards.paymentMethodId, paymentMethodId), eq(cards.state, 'active')));
}

/** Detached at the provider: nobody can use the card any more, so nobody sees it. */
export async function markDetached(db: Database, paymentMethodId: string): Promise<void> {
  await db
    .update(cards)
    .set({ state: 'removed', leaseUntil: null, updatedAt: sql`now()` })
    .where(and(eq(cards.paymentMethodId, paymentMethodId), eq(cards.state, 'active')));
}

/** The provider deleted its customer and with it all its cards; the next card makes a new one. */
export async function forgetDeletedCustomer(db: Database, providerCustomerId: string): Promise<void> {
  const owner = db.$with('owner').as(
    db
      .update(customers)
      .set({ providerCustomerId: null, updatedAt: sql`${customers.updatedAt}` })
      .where(eq(customers.providerCustomerId, providerCustomerId))
      .returning({ id: customers.id }),
  );
  await db
    .with(owner)
    .update(cards)
    .set({ state: 'removed', leaseUntil: null, updatedAt: sql`now()` })
    .where(and(inArray(cards.customerId, sql`(select id from owner)`), eq(cards.state, 'active')));
}
