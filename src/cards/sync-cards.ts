import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cards, customers } from '#db/schema.ts';
import type { ProviderCard } from '#src/payments/provider.ts';
import { updateAddition } from './addition-queries.ts';
import type { CardContext } from './card.ts';
import {
  auditCards,
  type CardVersion,
  findByPaymentMethod,
  findCard,
  isVersion,
  updateAudited,
} from './card-queries.ts';
import { dueNow } from './lease-queries.ts';
import { cardColumns } from './provider-card.ts';
import { tryDetach } from './remove-card.ts';

/**
 * Brings the cards of a payment method in line with the provider.
 * @param options.isDetached whether it was attached before, so that it cannot be attached any more
 * @throws ProviderError when the provider's card could not be read, or denied when our key is another account's
 */
export async function syncCards(
  ctx: CardContext,
  paymentMethodId: string,
  { isDetached = false } = {},
): Promise<void> {
  const found = await findByPaymentMethod(ctx.db, paymentMethodId);
  if (found.length === 0) return;
  const providerCard = await ctx.provider.findCard(paymentMethodId);
  for (const { providerCustomerId } of found) {
    // Throws if the account has never known the customer either, so that it is another one.
    if (!providerCard && providerCustomerId) await ctx.provider.isCustomerDeleted(providerCustomerId);
  }
  const synced = await Promise.all(
    found.map((card) => {
      if (providerCard?.attachedTo) return refresh(ctx, card, providerCard);
      if (card.state === 'active') return removeCards(ctx.db, isVersion(card));
      // One that is being added may not have been attached yet.
      return isDetached ? failDetached(ctx.db, card) : true;
    }),
  );
  // A card has changed since we read it, perhaps to newer details than ours.
  if (synced.includes(false)) await syncCards(ctx, paymentMethodId, { isDetached });
}

/**
 * A card is updated with the provider's details; an address that the provider does not have stays. The card that it
 * replaces, because it has the same number, is detached.
 * @returns false when the card has changed
 */
async function refresh(
  ctx: CardContext,
  { customerId, id, version }: CardVersion,
  providerCard: ProviderCard,
): Promise<boolean> {
  const { addressCountry, addressZip, ...card } = cardColumns(providerCard, {});
  const values = {
    fingerprint: card.fingerprint,
    last4: card.last4,
    brand: card.brand,
    funding: card.funding,
    is_apple_pay_card: card.isApplePayCard,
    postal_code_check: card.postalCodeCheck,
    exp_month: card.expMonth,
    exp_year: card.expYear,
    ...(addressCountry && { address_country: addressCountry }),
    ...(addressZip && { address_zip: addressZip }),
  };
  const [row] = await ctx.db.execute<{ replaced_id: string | null }>(sql`
    with refreshed as materialized (
      select * from refresh_card(${customerId}, ${id}, ${version}, ${JSON.stringify(values)}::jsonb, now())),
    replaced as (
      select cards.* from cards, refreshed where cards.customer_id = ${customerId} and cards.id = refreshed.replaced_id),
    audited as (${auditCards('card.removed', sql`replaced`, 'provider')})
    select replaced_id from refreshed`);
  if (row?.replaced_id)
    await tryDetach(ctx, await findCard(ctx.db, { customerId, id: Number(row.replaced_id) }));
  return row !== undefined;
}

/** The provider deleted its customer, and with it exactly the cards that were attached to it. The next card makes a new one. */
export async function forgetProviderCustomer(db: Database, providerCustomerId: string): Promise<void> {
  // First, and in its own statement: a card that becomes active meanwhile is seen by the next one, and none does later.
  await db
    .update(customers)
    .set({ providerCustomerId: null, updatedAt: sql`${customers.updatedAt}` })
    .where(eq(customers.providerCustomerId, providerCustomerId));
  await removeCards(db, eq(cards.providerCustomerId, providerCustomerId));
}

/** Removes active cards that the provider no longer has. @returns whether there were any */
async function removeCards(db: Database, condition: SQL | undefined): Promise<boolean> {
  const isActive = and(condition, eq(cards.state, 'active'));
  const removed = { state: 'removed', leaseUntil: null, updatedAt: sql`now()` } as const;
  return (await updateAudited(db, isActive, removed, 'card.removed', 'provider')).length > 0;
}

/**
 * An addition whose card was detached before it ended. Its setup intent, which could still be confirmed with another card, is
 * for the completer to cancel.
 * @returns false when the card has changed
 */
async function failDetached(db: Database, card: CardVersion): Promise<boolean> {
  const state = sql`case when ${cards.setupIntentId} is null then 'failed' else 'removing' end`;
  const failed = { state, failureCode: 'token_invalid', leaseUntil: null, ...dueNow };
  return (await updateAddition(db, card, failed, isVersion(card))) !== undefined;
}
