import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cities, customers, secrets } from '#db/schema.ts';
import type { Card } from '#src/cards/card.ts';
import { type City, cityColumns } from '#src/cities/city.ts';
import { DomainError } from '#src/errors.ts';

export type Customer = typeof customers.$inferSelect;

/** A customer with the city and the active cards, without the ledger. */
export type CustomerRecord = { customer: Customer; city: City; cards: Card[] };

/** @throws DomainError not_found */
export async function getCustomerByUsername(db: Database, username: string) {
  const [found] = await db
    .select({ customer: customers, city: cityColumns })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(eq(customers.username, username));
  if (!found) throw new DomainError('not_found', 'There is no customer with this username.');
  return found;
}

/** A customer with the city and the valid secrets. @throws DomainError not_found */
export async function showCustomer(db: Database, username: string) {
  const found = await getCustomerByUsername(db, username);
  return { ...found, secrets: await listSecrets(db, found.customer.id) };
}

/** Whether a secret is valid. Sessions that it opened end when it is revoked or its overlap period ends. */
export const isSecretLive = sql`${secrets.revokedAt} is null
  and (${secrets.expiresAt} is null or ${secrets.expiresAt} > now())`;

/**
 * The customer's secrets that are valid now, oldest first: when they were issued and last used, and when they expire; not
 * the secrets themselves.
 */
export function listSecrets(db: Database, customerId: number) {
  const { id, createdAt, expiresAt, lastUsedAt } = secrets;
  return db
    .select({ id, createdAt, expiresAt, lastUsedAt })
    .from(secrets)
    .where(and(eq(secrets.customerId, customerId), isSecretLive))
    .orderBy(asc(id));
}

/** A page of customers by username. @param options.after the last username of the page before */
export async function listCustomers(
  db: Database,
  { after = '', limit }: { after?: string | undefined; limit: number },
) {
  return db
    .select({ customer: customers, citySlug: cities.slug })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(gt(customers.username, after))
    .orderBy(asc(customers.username))
    .limit(limit);
}
