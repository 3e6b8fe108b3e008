import { sql } from 'drizzle-orm';
import { customers } from '#db/schema.ts';
import { columnValues } from '#db/tables/columns.ts';
import { auditInsert, type Context } from '#src/audit.ts';
import { getCity } from '#src/cities/city.ts';
import { DomainError } from '#src/errors.ts';
import { type Mode, newToken, tokenHash } from '#src/tokens.ts';
import { type CustomerFields, checkCustomerFields } from './customer-fields.ts';

export type CreateCustomerInput = CustomerFields & {
  username: string;
  citySlug: string;
  /** Part of the key and the secret. */
  mode: Mode;
};

/** The secret is not stored, so it cannot be shown again. */
export type Credentials = { id: number; username: string; apiKey: string; apiSecret: string };

/** @throws DomainError invalid_input, already_exists (the username), not_found (the city) */
export async function createCustomer(ctx: Context, input: CreateCustomerInput): Promise<Credentials> {
  checkCustomerFields(input);
  const { citySlug, mode, ...fields } = input;
  const city = await getCity(ctx.db, citySlug);
  const apiKey = newToken('key', mode);
  const apiSecret = newToken('secret', mode);
  const customer = { ...fields, apiKey, cityId: city.id };
  const id = await insertCustomer(ctx, customer, citySlug, tokenHash(apiSecret));
  if (id === undefined)
    throw new DomainError(
      'already_exists',
      `A customer with this username already exists. If its secret was lost, issue another one: operator secret rotate ${input.username}`,
    );
  return { id, username: input.username, apiKey, apiSecret };
}

/** Adds a customer, the first secret, and an audit row in one statement. @returns undefined when the username is taken */
async function insertCustomer(
  { db, actor }: Context,
  customer: typeof customers.$inferInsert,
  citySlug: string,
  secretHash: Buffer,
): Promise<number | undefined> {
  const columns = columnValues(customers, customer);
  const names = columns.map(({ name }) => name);
  const values = columns.map(({ value }) => value);
  const audit = auditInsert({
    actor,
    action: 'customer.created',
    customerId: sql`made.id`,
    after: sql`to_jsonb(made) - 'updated_at' - 'api_key'
      || jsonb_build_object('city', ${citySlug}::text, 'secret_id', secret.id)`,
    from: sql`made, secret`,
  });
  const [row] = await db.execute<{ id: string }>(sql`
    with made as (
      insert into customers (${sql.join(names, sql`, `)})
      values (${sql.join(values, sql`, `)}) on conflict (username) do nothing returning *),
    secret as (insert into secrets (customer_id, hash) select id, ${secretHash}::bytea from made returning id),
    audited as (${audit})
    select id from made`);
  return row && Number(row.id);
}
