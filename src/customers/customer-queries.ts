import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cities, customers, secrets } from '#db/schema/index.ts';

type CustomerRow = typeof customers.$inferSelect;

export type NewCustomer = Pick<
  CustomerRow,
  | 'username'
  | 'email'
  | 'firstName'
  | 'lastName'
  | 'name'
  | 'countryCode'
  | 'phone'
  | 'profileType'
  | 'isEmailConfirmed'
> & { citySlug: string; apiKey: string; secretHash: Buffer };

/**
 * Adds a customer with the first secret, and says so in the audit, in one statement.
 * @returns the id; null when the username is taken; undefined when there is no such city
 */
export async function insertCustomer(
  db: Database,
  actor: string,
  input: NewCustomer,
): Promise<number | null | undefined> {
  const [row] = await db.execute<{ city: number | null; id: number | null }>(sql`
    with city as (select id from cities where slug = ${input.citySlug}),
    made as (
      insert into customers (city_id, username, email, is_email_confirmed, api_key, first_name, last_name, name,
        country_code, phone, profile_type)
      select id, ${input.username}, ${input.email}, ${input.isEmailConfirmed}::boolean, ${input.apiKey},
        ${input.firstName}, ${input.lastName}, ${input.name}, ${input.countryCode}, ${input.phone}, ${input.profileType}
      from city on conflict (username) do nothing returning *),
    secret as (insert into secrets (customer_id, hash) select id, ${input.secretHash}::bytea from made returning id),
    audited as (
      insert into audit_entries (actor, action, customer_id, subject, after)
      select ${actor}, 'customer.created', made.id, made.username,
        to_jsonb(made) - 'updated_at' - 'api_key' || jsonb_build_object('city', ${input.citySlug}::text, 'secret_id', secret.id)
      from made, secret)
    select (select id from city) as city, (select id from made) as id`);
  if (row?.city == null) return undefined;
  return row.id;
}

/** What can be changed of a customer; what is undefined stays. */
export type CustomerChanges = Partial<
  Pick<
    CustomerRow,
    | 'email'
    | 'firstName'
    | 'lastName'
    | 'name'
    | 'countryCode'
    | 'phone'
    | 'profileType'
    | 'isEmailConfirmed'
    | 'status'
  > & { citySlug: string }
>;

/**
 * Changes a customer and notes what was other before, in one statement; without a difference it writes nothing.
 * @param action what the audit calls it
 * @returns whether the customer exists, the city exists and anything changed
 */
export async function updateCustomer(
  db: Database,
  actor: string,
  action: string,
  username: string,
  changes: CustomerChanges,
): Promise<{ isKnown: boolean; isCityKnown: boolean; hasChanged: boolean }> {
  const given = (value: string | boolean | undefined, type: 'text' | 'boolean') =>
    sql`${value ?? null}::${sql.raw(type)}`;
  const [row] = await db.execute<{ isKnown: boolean; isCityKnown: boolean; hasChanged: boolean }>(sql`
    with city as (select id from cities where slug = ${changes.citySlug ?? null}::text),
    before as (select * from customers where username = ${username} for no key update),
    wanted as (
      select b.id, coalesce((select id from city), b.city_id) as city_id,
        coalesce(${given(changes.email, 'text')}, b.email) as email,
        coalesce(${given(changes.firstName, 'text')}, b.first_name) as first_name,
        coalesce(${given(changes.lastName, 'text')}, b.last_name) as last_name,
        coalesce(${given(changes.name, 'text')}, b.name) as name,
        coalesce(${given(changes.countryCode, 'text')}, b.country_code) as country_code,
        coalesce(${given(changes.phone, 'text')}, b.phone) as phone,
        coalesce(${given(changes.profileType, 'text')}, b.profile_type) as profile_type,
        coalesce(${given(changes.isEmailConfirmed, 'boolean')}, b.is_email_confirmed) as is_email_confirmed,
        coalesce(${given(changes.status, 'text')}, b.status) as status
      from before b),
    changed as (
      update customers c set city_id = w.city_id, email = w.email, first_name = w.first_name, last_name = w.last_name,
        name = w.name, country_code = w.country_code, phone = w.phone, profile_type = w.profile_type,
        is_email_confirmed = w.is_email_confirmed, status = w.status, updated_at = now()
      from wanted w join before b on b.id = w.id
      where c.id = w.id and not to_jsonb(b) @> to_jsonb(w) returning c.*),
    audited as (
      insert into audit_entries (actor, action, customer_id, subject, before, after)
      select ${actor}, ${action}, c.id, c.username,
        jsonb_changes(to_jsonb(c), to_jsonb(b)) - 'updated_at', jsonb_changes(to_jsonb(b), to_jsonb(c)) - 'updated_at'
      from changed c join before b on b.id = c.id)
    select exists (select from before) as "isKnown", exists (select from changed) as "hasChanged",
      (${changes.citySlug ?? null}::text is null or exists (select from city)) as "isCityKnown"`);
  return row ?? { isKnown: false, isCityKnown: false, hasChanged: false };
}

const live = and(
  isNull(secrets.revokedAt),
  sql`(${secrets.expiresAt} is null or ${secrets.expiresAt} > now())`,
);

export async function findCustomer(db: Database, username: string) {
  const [row] = await db
    .select({ customer: customers, city: cities })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(eq(customers.username, username));
  return row;
}

/** The secrets that are valid now, oldest first; never their hashes. */
export async function findLiveSecrets(db: Database, customerId: number) {
  return db
    .select({
      id: secrets.id,
      createdAt: secrets.createdAt,
      expiresAt: secrets.expiresAt,
      lastUsedAt: secrets.lastUsedAt,
    })
    .from(secrets)
    .where(and(eq(secrets.customerId, customerId), live))
    .orderBy(asc(secrets.id));
}

/** A page of customers by username. @param after the last username of the page before, or '' */
export async function findCustomers(db: Database, after: string, most: number) {
  return db
    .select({ customer: customers, citySlug: cities.slug })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(sql`${customers.username} > ${after}`)
    .orderBy(asc(customers.username))
    .limit(most);
}
