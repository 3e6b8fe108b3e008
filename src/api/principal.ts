/** The authenticated customer: what the database has of it, and what the pipeline makes of that. */
import { type SQLWrapper, sql } from 'drizzle-orm';
import { cities, customers, secrets } from '#db/schema.ts';
import type { Card } from '#src/cards/card.ts';
import { monthIn, withDefault } from '#src/cards/default-card.ts';
import {
  type City,
  type CityWithoutOutline,
  cityColumns,
  cityColumnsWithoutOutline,
} from '#src/cities/city.ts';
import { type Customer, type CustomerRecord, isSecretLive } from '#src/customers/get-customer.ts';
import { type Payout, payoutOf } from '#src/ledger/monthly-balances.ts';

/**
 * Data that the authentication statement of an operation also reads, so that a read is one round trip. Of a record, only the
 * version, because most are known.
 */
export type Included = {
  nothing: object;
  record: { record: CustomerRecord };
  payout: { payout: Payout };
};
export type Include = keyof Included;

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
 * Identifies the row of a city: PostgreSQL writes each change as a new row version, with the ID of its transaction at another
 * location. VACUUM FULL moves rows, so their IDs belong to it. Another server or database has other transactions.
 */
const cityVersion = sql<string>`concat_ws(' ', current_database(), pg_postmaster_start_time(), ${cities.id}, ${cities}.xmin,
  ${cities}.ctid)`;

/** Identifies the rows of a customer's record. */
const recordVersion = (
  owner: SQLWrapper,
) => sql<string>`concat_ws(' ', ${cityVersion}, ${customers.id}, ${customers}.xmin, ${customers}.ctid,
  (select string_agg(concat_ws(' ', c.id, c.xmin, c.ctid), ' ' order by c.id)
    from cards c where c.customer_id = ${owner} and c.state = 'active'))`;

/** @param owner the customer's ID, with a constant where it is known, so that Citus reads from one node */
export function columns(include: Include | 'page', owner: SQLWrapper) {
  return {
    customerId: customers.id,
    status: customers.status,
    ...(include === 'record' ? { version: recordVersion(owner), timezone: cities.timezone } : {}),
    ...(include === 'page'
      ? { ...recordColumns(owner), city: { ...cityColumnsWithoutOutline, version: cityVersion } }
      : {}),
    ...(include === 'payout' || include === 'page' ? { balance: balance(owner) } : {}),
  };
}

/** @param owner the customer's ID */
export const recordColumns = (owner: SQLWrapper) => ({
  customer: customers,
  city: cityColumns,
  cards: activeCards(owner),
});

export const liveSecrets = sql<LiveSecret[]>`(
  select coalesce(json_agg(json_build_object('id', ${secrets.id}, 'hash', encode(${secrets.hash}, 'hex'),
    'lastUsedAt', ${secrets.lastUsedAt})), '[]'::json)
  from ${secrets} where ${secrets.customerId} = ${customers.id} and ${isSecretLive})`;

/** What an authentication statement has read. */
type Row = { customerId: number; balance?: BalanceRow; version?: string; timezone?: string };
type RecordRow<AnyCity> = { customer?: Customer; city?: AnyCity; cards?: CardRow[] };

/** The authenticated customer, with the data that the operation includes. */
export type Principal = {
  customerId: number;
  secretId: number;
  via: 'keys' | 'session';
  /** Null unless included, and not read if the response for its version is cached. */
  record: CustomerRecord | null;
  /** Null unless included. */
  payout: Payout | null;
  /** What the included data was read from: as long as it is the same, so is the data. */
  version: string | null;
};

export function principalOf(row: Row, via: Principal['via'], secretId: number): Principal {
  const { customerId, balance } = row;
  const version = balance ? [customerId, ...Object.values(balance)].join(' ') : versionOf(row, new Date());
  return { customerId, secretId, via, record: null, payout: payoutOfRow(row), version };
}

/** @param row what was read after the customer was authenticated */
export function withRecord(principal: Principal, row: Row & RecordRow<City>): Principal {
  const now = new Date();
  return { ...principal, record: recordOf(row, now), version: versionOf(row, now) };
}

/** @returns what a page shows of the customer; null if it was not included */
export function pageDataOf(row: Row & RecordRow<CityWithoutOutline & { version: string }>) {
  const [record, payout] = [recordOf(row, new Date()), payoutOfRow(row)];
  return record && payout && { ...record, payout };
}

/** The default card depends on the month in the city, too. */
function versionOf({ version, timezone }: Row, now: Date): string | null {
  if (!version || !timezone) return null;
  const { year, month } = monthIn(timezone, now);
  return `${version} ${year}-${month}`;
}

/** Timestamps in JSON from the database are text. */
function recordOf<AnyCity extends { timezone: string }>(
  { customer, city, cards }: RecordRow<AnyCity>,
  now: Date,
) {
  if (!customer || !city || !cards) return null;
  const rows = cards.map((card) => ({ ...card, createdAt: new Date(card.createdAt) }));
  return { customer, city, cards: withDefault(rows, city.timezone, now) };
}

function payoutOfRow({ balance }: Row): Payout | null {
  return balance ? payoutOf(balance.month, BigInt(balance.balanceCents), balance.timezone) : null;
}
