/** Writes of what the provider says of cards on its side. */
import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cards, customers } from '#db/schema.ts';
import { auditCards, type CardRow, isCard } from './card-queries.ts';
import { dueNow, isBeingAdded } from './lease-queries.ts';
import type { cardColumns } from './provider-card.ts';

/** The provider deleted its customer, and with it exactly the cards that were attached to it. The next card makes a new one. */
export async function forgetProviderCustomer(db: Database, providerCustomerId: string): Promise<void> {
  // First, and in its own statement: a card that becomes active meanwhile is seen by the next one, and none does later.
  await db
    .update(customers)
    .set({ providerCustomerId: null, updatedAt: sql`${customers.updatedAt}` })
    .where(eq(customers.providerCustomerId, providerCustomerId));
  await removeCards(db, eq(cards.providerCustomerId, providerCustomerId));
}

/** Removes cards that the provider no longer has. @returns how many */
async function removeCards(db: Database, condition: SQL | undefined): Promise<number> {
  const removed = db.$with('removed').as(
    db
      .update(cards)
      .set({ state: 'removed', leaseUntil: null, updatedAt: sql`now()` })
      .where(and(condition, eq(cards.state, 'active')))
      .returning(),
  );
  const audited = db.$with('audited', {}).as(auditCards('card.removed', sql`removed`, 'provider'));
  const rows = await db.with(removed, audited).select({ id: removed.id }).from(removed);
  return rows.length;
}

/** A card as it was read: a change of it in between makes a write of the same version do nothing. */
export type CardVersion = Pick<CardRow, 'customerId' | 'id' | 'state'> & { version: string };

const version = sql<string>`${cards}.xmin::text`;
const isVersion = (card: CardVersion) => and(isCard(card), eq(version, card.version));

/** The cards of a payment method that are active or being added. */
export async function findByPaymentMethod(db: Database, paymentMethodId: string): Promise<CardVersion[]> {
  return db
    .select({ customerId: cards.customerId, id: cards.id, state: cards.state, version })
    .from(cards)
    .where(and(eq(cards.paymentMethodId, paymentMethodId), or(isBeingAdded, eq(cards.state, 'active'))));
}

/**
 * A card takes over what the provider says of it; an address that the provider does not have stays.
 * @returns the card that it replaced, because it has the same number; undefined when the card has changed
 */
export async function refreshCard(
  db: Database,
  { customerId, id, version }: CardVersion,
  { addressCountry, addressZip, ...card }: ReturnType<typeof cardColumns>,
): Promise<{ replacedId: number | null } | undefined> {
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
  const [row] = await db.execute<{ replaced_id: string | null }>(sql`
    with refreshed as materialized (
      select * from refresh_card(${customerId}, ${id}, ${version}, ${JSON.stringify(values)}::jsonb, now())),
    replaced as (
      select cards.* from cards, refreshed where cards.customer_id = ${customerId} and cards.id = refreshed.replaced_id),
    audited as (${auditCards('card.removed', sql`replaced`, 'provider')})
    select replaced_id from refreshed`);
  return row && { replacedId: row.replaced_id === null ? null : Number(row.replaced_id) };
}

/** @returns false when the card has changed */
export async function removeDetached(db: Database, card: CardVersion): Promise<boolean> {
  return (await removeCards(db, isVersion(card))) > 0;
}

/**
 * An addition whose card was detached before it ended. Its setup intent, which could still be confirmed with another card, is
 * for the completer to cancel.
 * @returns false when the card has changed */
export async function failDetached(db: Database, card: CardVersion): Promise<boolean> {
  const rows = await db
    .update(cards)
    .set({
      state: sql`case when ${cards.setupIntentId} is null then 'failed' else 'removing' end`,
      failureCode: 'token_invalid',
      leaseUntil: null,
      ...dueNow,
      updatedAt: sql`now()`,
    })
    .where(and(isVersion(card), isBeingAdded))
    .returning({ id: cards.id });
  return rows.length > 0;
}
