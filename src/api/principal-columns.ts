import { type SQLWrapper, sql } from 'drizzle-orm';
import { cities, customers, secrets } from '#db/schema.ts';
import type { Card } from '#src/cards/card.ts';
import { cityColumns } from '#src/cities/city.ts';
import { isSecretLive } from './session-queries.ts';

/** Data that the authentication statement also reads, so that a read is one round trip. */
export type Include = 'record' | 'payout' | 'both' | 'nothing';

type LiveSecret = { id: number; hash: string; lastUsedAt: string | null };
/** JSON has the time as text. */
type CardRow = Omit<Card, 'isDefault' | 'createdAt'> & { createdAt: string };
type BalanceRow = { month: string; timezone: string; balanceCents: string };

const activeCards = (owner: SQLWrapper) => sql<CardRow[]>`(
  select coalesce(json_agg(json_build_object('id', c.id, 'uuid', c.uuid, 'last4', c.last4, 'brand', c.brand,
    'funding', c.funding, 'addressCountry', c.address_country, 'addressZip', c.address_zip,
    'isApplePayCard', c.is_apple_pay_card, 'postalCodeCheck', c.postal_code_check, 'expMonth', c.exp_month,
    'expYear', c.exp_year, 'createdAt', c.created_at)
    order by c.id), '[]'::json)
  from cards c where c.customer_id = ${owner} and c.state = 'active')`;

/**
 * The month is that of the city's time zone. The balance is the sum of whole months, so no entries are read. `offset 0`
 * keeps PostgreSQL from computing the month again for each row.
 */
const balance = (owner: SQLWrapper) => sql<BalanceRow>`(
  select json_build_object('month', m.month::text, 'timezone', ${cities.timezone}, 'balanceCents', (
    select coalesce(sum(l.amount_cents), 0)::text from ledger_months l
    where l.customer_id = ${owner} and l.month <= m.month))
  from (select ledger_month(${sql.placeholder('at')}::timestamptz, ${cities.timezone},
    ${cities.monthStarts}) as month offset 0) m)`;

/**
 * Identifies the rows of a customer's record: PostgreSQL writes each change as a new row version, with the ID of its
 * transaction at another location. VACUUM FULL moves rows, so their IDs belong to it. Another server or database has other
 * transactions.
 */
export const recordVersion = (
  owner: SQLWrapper,
) => sql<string>`concat_ws(' ', current_database(), pg_postmaster_start_time(), ${customers.id}, ${customers}.xmin,
  ${customers}.ctid, ${cities.id}, ${cities}.xmin, ${cities}.ctid,
  (select string_agg(concat_ws(' ', c.id, c.xmin, c.ctid), ' ' order by c.id)
    from cards c where c.customer_id = ${owner} and c.state = 'active'))`;

/**
 * Only the included data, because the outline of a city can be a megabyte.
 * @param owner the customer's ID, with a constant where it is known, so that Citus reads from one node
 */
export function columns(include: Include, owner: SQLWrapper) {
  return {
    customerId: customers.id,
    status: customers.status,
    ...(include === 'record' || include === 'both'
      ? { customer: customers, city: cityColumns, cards: activeCards(owner) }
      : {}),
    ...(include === 'payout' || include === 'both' ? { balance: balance(owner) } : {}),
  };
}

export const liveSecrets = sql<LiveSecret[]>`(
  select coalesce(json_agg(json_build_object('id', ${secrets.id}, 'hash', encode(${secrets.hash}, 'hex'),
    'lastUsedAt', ${secrets.lastUsedAt})), '[]'::json)
  from ${secrets} where ${secrets.customerId} = ${customers.id} and ${isSecretLive})`;
