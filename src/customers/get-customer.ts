import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cities, customers, secrets } from '#db/schema.ts';
import { cityColumns } from '#src/cities/city.ts';
import { DomainError } from '#src/errors.ts';

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

/**
 * A customer with the city and the secrets that are valid now, oldest first: when they were issued and last used, and when
 * they expire; not the secrets themselves.
 * @throws DomainError not_found
 */
export async function showCustomer(db: Database, username: string) {
  const found = await getCustomerByUsername(db, username);
  const { id, createdAt, expiresAt, lastUsedAt } = secrets;
  const validSecrets = await db
    .select({ id, createdAt, expiresAt, lastUsedAt })
    .from(secrets)
    .where(
      and(
        eq(secrets.customerId, found.customer.id),
        isNull(secrets.revokedAt),
        or(isNull(expiresAt), gt(expiresAt, sql`now()`)),
      ),
    )
    .orderBy(asc(id));
  return { ...found, secrets: validSecrets };
}

/** A page of customers by username. @param options.after the last username of the page before */
export async function listCustomers(db: Database, { after = '', limit }: { after?: string; limit: number }) {
  return db
    .select({ customer: customers, citySlug: cities.slug })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(gt(customers.username, after))
    .orderBy(asc(customers.username))
    .limit(limit);
}
