import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cards, customers } from '#db/schema.ts';
import type { ProviderCard } from '#src/payments/provider.ts';
import type { CardContext } from './card.ts';
import type { CardRow } from './card-queries.ts';
import { continueSetup } from './finish-card.ts';
import { cardColumns } from './provider-card.ts';
import { resumeRemoval, tryDetach } from './remove-card.ts';
import { syncCards } from './sync-cards.ts';

/**
 * A difference between our cards and the provider's:
 * - `removed`: active here but detached there, so it was removed here
 * - `updated`: its details had changed there, so they were changed here
 * - `detached`: removed here, or not added, but attached there, so it was detached there
 * - `unknown`: attached there, but not by us; left as it is
 * - `missing`: active here, but the provider's account does not have the payment method; left as it is, because with the keys of
 *   another account, every card would be removed
 */
export type Difference = {
  kind: 'removed' | 'updated' | 'detached' | 'unknown' | 'missing';
  customerId: number;
  paymentMethodId: string;
  providerCustomerId: string;
};

/**
 * Compares the cards of a customer with the provider in both directions, and applies what is certain.
 *
 * A payment method that is attached there is detached only if its card was removed here, or its addition failed after the
 * provider's response was lost: we attached it, and the customer was told that it is not on file. All others may be somebody else's, such as a checkout page of the same account.
 * @throws ProviderError when the provider's cards could not be read
 */
export async function reconcileCustomer(ctx: CardContext, customerId: number): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const providerCustomerId of await providerCustomersOf(ctx.db, customerId)) {
    // Read before our cards: a payment method is stored here before it is attached.
    const attached = await ctx.provider.listCards(providerCustomerId);
    const add = (kind: Difference['kind'], paymentMethodId: string) =>
      differences.push({ kind, customerId, paymentMethodId, providerCustomerId });
    const attachedIds = attached.map(({ paymentMethodId }) => paymentMethodId);
    const rows = await cardsOf(ctx.db, providerCustomerId, attachedIds);
    for (const providerCard of attached) {
      const { paymentMethodId } = providerCard;
      const ofMethod = rows.filter((row) => row.paymentMethodId === paymentMethodId);
      const kind = await reconcileAttached(ctx, customerId, providerCard, ofMethod);
      if (kind) add(kind, paymentMethodId);
    }
    for (const { state, paymentMethodId } of rows) {
      if (state !== 'active' || !paymentMethodId || attachedIds.includes(paymentMethodId)) continue;
      const kind = await reconcileUnattached(ctx, paymentMethodId);
      if (kind) add(kind, paymentMethodId);
    }
  }
  return differences;
}

async function reconcileAttached(
  ctx: CardContext,
  customerId: number,
  providerCard: ProviderCard,
  rows: CardRow[],
): Promise<Difference['kind'] | undefined> {
  const { paymentMethodId } = providerCard;
  const active = rows.find(({ state }) => state === 'active');
  if (active) {
    if (isSame(active, providerCard)) return undefined;
    await syncCards(ctx, paymentMethodId);
    return 'updated';
  }
  const waiting = rows.find(({ state }) => state === 'authenticating');
  if (waiting) await continueSetup(ctx, waiting);
  // The completer's.
  if (waiting || rows.some(({ state }) => state === 'pending' || state === 'removing')) return undefined;
  const late = rows.find((row) => row.customerId === customerId && isAttachedLate(row));
  const removed = rows.find(({ state }) => state === 'removed') ?? late;
  // Its removal, or that of a refused card, may have ended after the provider's cards were read.
  const now = await ctx.provider.findCard(paymentMethodId);
  if (!now?.attachedTo) return undefined;
  if (!removed) return 'unknown';
  await tryDetach(ctx, await resumeRemoval(ctx.db, removed));
  return 'detached';
}

async function reconcileUnattached(
  ctx: CardContext,
  paymentMethodId: string,
): Promise<Difference['kind'] | undefined> {
  const providerCard = await ctx.provider.findCard(paymentMethodId);
  if (!providerCard) return 'missing';
  // Added after the provider's cards were read.
  if (providerCard.attachedTo) return undefined;
  await syncCards(ctx, paymentMethodId);
  return 'removed';
}

/** The provider's response was lost, it was not attached when its addition failed, and nobody had attached it before. */
function isAttachedLate({ state, providerCustomerId, lastError }: CardRow): boolean {
  return state === 'failed' && providerCustomerId === null && lastError !== null;
}

/** Compares what the provider knows. */
function isSame(card: CardRow, providerCard: ProviderCard): boolean {
  return Object.entries(cardColumns(providerCard, {})).every(
    ([name, value]) => value === null || value === 'unknown' || card[name as keyof CardRow] === value,
  );
}

async function providerCustomersOf(db: Database, customerId: number): Promise<string[]> {
  const current = db
    .select({ id: customers.providerCustomerId })
    .from(customers)
    .where(and(eq(customers.id, customerId), isNotNull(customers.providerCustomerId)));
  const ofCards = db
    .select({ id: cards.providerCustomerId })
    .from(cards)
    .where(
      and(eq(cards.customerId, customerId), eq(cards.state, 'active'), isNotNull(cards.providerCustomerId)),
    );
  const rows = await current.union(ofCards);
  return rows.flatMap(({ id }) => id ?? []);
}

/** The active cards of a provider's customer, and all cards of the payment methods. */
async function cardsOf(
  db: Database,
  providerCustomerId: string,
  paymentMethodIds: string[],
): Promise<CardRow[]> {
  const active = and(eq(cards.providerCustomerId, providerCustomerId), eq(cards.state, 'active'));
  const attached = inArray(cards.paymentMethodId, paymentMethodIds);
  const [ofCustomer, ofMethods] = await Promise.all([
    db.select().from(cards).where(active).orderBy(cards.id),
    paymentMethodIds.length > 0 ? db.select().from(cards).where(attached) : [],
  ]);
  return [...ofCustomer.filter(({ id }) => !ofMethods.some((row) => row.id === id)), ...ofMethods];
}
