import { and, eq, getTableColumns, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Database } from '#db/client.ts';
import { cards, cities, customers } from '#db/schema.ts';
import { auditInsert } from '#src/audit.ts';
import type { Card } from './card.ts';
import { withDefault } from './default-card.ts';

export type CardRow = typeof cards.$inferSelect;
export type CardKey = Pick<CardRow, 'customerId' | 'id'>;

/** Of an addition that is under way, or waits for the cardholder. */
export const additionStates: CardRow['state'][] = ['pending', 'authenticating'];
export const isBeingAdded = inArray(cards.state, additionStates);
export const isNotFinal = inArray(cards.state, [...additionStates, 'removing']);

export const isCard = ({ customerId, id }: CardKey) =>
  and(eq(cards.customerId, customerId), eq(cards.id, id));

/** Audits cards that become active or stop being active. @param rows a relation with the columns of `cards` */
export function auditCards(action: string | SQL, rows: SQL, actor = 'customer'): SQL {
  return auditInsert({
    actor,
    action,
    customerId: sql`c.customer_id`,
    after: sql`jsonb_build_object('brand', c.brand, 'last4', c.last4, 'exp_month', c.exp_month, 'exp_year', c.exp_year,
      'uuid', c.uuid)`,
    from: sql`${rows} c`,
  });
}

/** Changes cards, and audits those that were changed, in one statement. */
export async function updateAudited(
  db: Database,
  condition: SQL | undefined,
  values: PgUpdateSetSource<typeof cards>,
  action: string,
  actor = 'customer',
): Promise<CardRow[]> {
  const changed = db.$with('changed').as(db.update(cards).set(values).where(condition).returning());
  const audited = db.$with('audited', {}).as(auditCards(action, sql`changed`, actor));
  return db.with(changed, audited).select().from(changed);
}

export async function findCard(db: Database, card: CardKey): Promise<CardRow | undefined> {
  const [row] = await db.select().from(cards).where(isCard(card));
  return row;
}

/** A card as it was read: a change of it in between makes a write of the same version do nothing. */
export type CardVersion = CardKey & Pick<CardRow, 'state' | 'providerCustomerId'> & { version: string };

const version = sql<string>`${cards}.xmin::text`;
export const isVersion = (card: CardVersion) => and(isCard(card), eq(version, card.version));

/** The cards of a payment method that are active or being added. */
export async function findByPaymentMethod(db: Database, paymentMethodId: string): Promise<CardVersion[]> {
  const { customerId, id, state, providerCustomerId } = cards;
  return db
    .select({ customerId, id, state, providerCustomerId, version })
    .from(cards)
    .where(and(eq(cards.paymentMethodId, paymentMethodId), or(isBeingAdded, eq(cards.state, 'active'))));
}

/** The active cards of a customer, the default card marked. */
export async function findOnFile(db: Database, customerId: number): Promise<(CardRow & Card)[]> {
  const rows = await db
    .select({ card: cards, timezone: cities.timezone })
    .from(cards)
    .innerJoin(customers, eq(customers.id, cards.customerId))
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(and(eq(cards.customerId, customerId), eq(cards.state, 'active')));
  return withDefault(
    rows.map(({ card }) => card),
    rows[0]?.timezone ?? 'UTC',
  );
}

/** The card on file that has the same number as this one. */
export async function findActiveOfNumber(
  db: Database,
  { customerId, fingerprint }: Pick<CardRow, 'customerId' | 'fingerprint'>,
): Promise<CardRow | undefined> {
  if (fingerprint === null) return undefined;
  const hasNumber = and(eq(cards.customerId, customerId), eq(cards.fingerprint, fingerprint));
  const [row] = await db
    .select()
    .from(cards)
    .where(and(hasNumber, eq(cards.state, 'active')));
  return row;
}

/** Stores the provider's customer, unless another request was first. @returns the stored one */
export async function saveProviderCustomer(
  db: Database,
  customerId: number,
  providerCustomerId: string,
): Promise<string> {
  const [row] = await db
    .update(customers)
    .set({
      providerCustomerId: sql`coalesce(${customers.providerCustomerId}, ${providerCustomerId})`,
      updatedAt: sql`${customers.updatedAt}`,
    })
    .where(eq(customers.id, customerId))
    .returning({ stored: customers.providerCustomerId });
  return row?.stored ?? providerCustomerId;
}

export async function findCardOwner(db: Database, customerId: number) {
  const { id, email, name, createdAt, providerCustomerId } = getTableColumns(customers);
  const [row] = await db
    .select({ id, email, name, createdAt, providerCustomerId })
    .from(customers)
    .where(eq(id, customerId));
  return row;
}
