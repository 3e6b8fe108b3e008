import { eq, type SQL, sql } from 'drizzle-orm';
import { oneRow } from '#db/one-row.ts';
import { customers, sessions } from '#db/schema.ts';
import { columnValues } from '#db/tables/columns.ts';
import { auditInsert, type Context } from '#src/audit.ts';
import { getCity } from '#src/cities/city.ts';
import { DomainError } from '#src/errors.ts';
import { type CustomerFields, checkCustomerFields } from './customer-fields.ts';
import type { Customer } from './get-customer.ts';

export type UpdateCustomerInput = Partial<CustomerFields> & { username: string; citySlug?: string };

/**
 * Changes the given fields of a customer; undefined ones stay.
 * @returns whether anything changed
 * @throws DomainError invalid_input, not_found (the customer or the city)
 */
export async function updateCustomer(
  ctx: Context,
  input: UpdateCustomerInput,
): Promise<{ hasChanged: boolean }> {
  const { username, citySlug, ...fields } = input;
  checkCustomerFields(fields);
  const city = citySlug === undefined ? undefined : await getCity(ctx.db, citySlug);
  const changes = { ...fields, ...(city && { cityId: city.id }) };
  const { hasChanged } = await changeCustomer(ctx, 'customer.updated', username, changes);
  return { hasChanged };
}

const statusActions = {
  Active: 'customer.activated',
  Inactive: 'customer.deactivated',
  Suspended: 'customer.suspended',
} as const;

/**
 * Only an `Active` customer can use the API or the dashboard; a change holds from the next request on. Any other status also
 * ends the customer's sessions, which would otherwise be open again once it is active.
 * @returns whether the status changed
 * @throws DomainError not_found
 */
export async function setStatus(
  ctx: Context,
  { username, status }: { username: string; status: Customer['status'] },
): Promise<{ hasChanged: boolean }> {
  return ctx.db.transaction(async (db) => {
    const { id, hasChanged } = await changeCustomer({ ...ctx, db }, statusActions[status], username, {
      status,
    });
    if (status !== 'Active') await db.delete(sessions).where(eq(sessions.customerId, id));
    return { hasChanged };
  });
}

/** Writes the changes, the audit row, and the months in a new city's time zone in one statement, unless nothing differs. */
async function changeCustomer(
  { db, actor }: Context,
  action: string,
  username: string,
  changes: Partial<Customer>,
): Promise<{ id: number; hasChanged: boolean }> {
  const values = columnValues(customers, changes);
  const wanted = sql.join([sql`b.id`, ...values.map(({ name, value }) => sql`${value} as ${name}`)], sql`, `);
  const row = (of: SQL) =>
    sql`row(${sql.join([sql`${of}.id`, ...values.map(({ name }) => sql`${of}.${name}`)], sql`, `)})`;
  const updates = [sql`updated_at = now()`, ...values.map(({ name }) => sql`${name} = w.${name}`)];
  const audit = auditInsert({
    actor,
    action,
    customerId: sql`c.id`,
    before: sql`jsonb_changes(to_jsonb(c), to_jsonb(b)) - 'updated_at'`,
    after: sql`jsonb_changes(to_jsonb(b), to_jsonb(c)) - 'updated_at'`,
    from: sql`changed c join before b on b.id = c.id`,
  });
  // A change of the city waits for statements that add entries, and they for it.
  const lock = changes.cityId === undefined ? sql`for no key update` : sql`for update`;
  const { id, hasChanged } = await oneRow(
    db.execute<{ id: string | null; hasChanged: boolean }>(sql`
    with before as (select * from customers where username = ${username} and erased_at is null ${lock}),
    wanted as (select ${wanted} from before b),
    changed as (
      update customers c set ${sql.join(updates, sql`, `)} from wanted w join before b on b.id = w.id
      where c.id = w.id and ${row(sql`b`)} is distinct from ${row(sql`w`)} returning c.*),
    calendars as materialized (
      select id from cities where id = any(array(select city_id from before union select city_id from changed))
      for key share),
    audited as (${audit})
    select (select id from before) as id, exists (select from changed) as "hasChanged",
      (select rebuild_ledger_months(array[c.id]) from changed c join before b on b.id = c.id
        where c.city_id <> b.city_id and (select count(*) from calendars) > 0) as months`),
  );
  if (id === null) throw new DomainError('not_found', 'There is no customer with this username.');
  return { id: Number(id), hasChanged };
}
