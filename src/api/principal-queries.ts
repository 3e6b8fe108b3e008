import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cities, customers, secrets, sessions } from '#db/schema.ts';
import { cityColumns } from '#src/cities/city.ts';
import type { Services } from './services.ts';
import type { SessionKey } from './session-cookie.ts';
import { isSecretLive, isSessionLive } from './session-queries.ts';
import { touchSession } from './touch-last-used.ts';

/** Data that the authentication statement also reads, so that a read is one round trip. */
export type Include = 'record' | 'payout' | 'both' | 'nothing';

type LiveSecret = { id: number; hash: string; lastUsedAt: string | null };
type CardRow = {
  id: number;
  uuid: string;
  last4: string | null;
  brand: string | null;
  funding: string | null;
  addressCountry: string | null;
  addressZip: string | null;
  isApplePayCard: boolean;
  expMonth: number | null;
  expYear: number | null;
  createdAt: string;
};
type BalanceRow = { month: string; timezone: string; balanceCents: string };

const activeCards = sql<CardRow[]>`(
  select coalesce(json_agg(json_build_object('id', c.id, 'uuid', c.uuid, 'last4', c.last4, 'brand', c.brand,
    'funding', c.funding, 'addressCountry', c.address_country, 'addressZip', c.address_zip,
    'isApplePayCard', c.is_apple_pay_card, 'expMonth', c.exp_month, 'expYear', c.exp_year, 'createdAt', c.created_at)
    order by c.id), '[]'::json)
  from cards c where c.customer_id = ${customers.id} and c.state = 'active')`;

/**
 * The month is that of the city's time zone. The balance is the sum of whole months, so no entries are read. `offset 0`
 * keeps PostgreSQL from computing the month again for each row.
 */
const balance = sql<BalanceRow>`(
  select json_build_object('month', m.month::text, 'timezone', ${cities.timezone}, 'balanceCents', (
    select coalesce(sum(l.amount_cents), 0)::text from ledger_months l
    where l.customer_id = ${customers.id} and l.month <= m.month))
  from (select ledger_month(${sql.placeholder('at')}::timestamptz, ${cities.timezone},
    ${cities.monthStarts}) as month offset 0) m)`;

/** Only the included data, because the outline of a city can be a megabyte. */
function columns(include: Include) {
  return {
    customerId: customers.id,
    status: customers.status,
    ...(include === 'record' || include === 'both'
      ? { customer: customers, city: cityColumns, cards: activeCards }
      : {}),
    ...(include === 'payout' || include === 'both' ? { balance } : {}),
  };
}

function byKey(db: Database, include: Include) {
  const liveSecrets = sql<LiveSecret[]>`(
    select coalesce(json_agg(json_build_object('id', ${secrets.id}, 'hash', encode(${secrets.hash}, 'hex'),
      'lastUsedAt', ${secrets.lastUsedAt})), '[]'::json)
    from ${secrets} where ${secrets.customerId} = ${customers.id} and ${isSecretLive})`;
  return db
    .select({ ...columns(include), liveSecrets })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(eq(customers.apiKey, sql.placeholder('apiKey')))
    .prepare(`principal_by_key_${include}`);
}

function bySession(db: Database, include: Include) {
  return db
    .select({
      ...columns(include),
      secretId: sessions.secretId,
      sessionLastUsedAt: sessions.lastUsedAt,
    })
    .from(sessions)
    .innerJoin(secrets, and(eq(secrets.customerId, sessions.customerId), eq(secrets.id, sessions.secretId)))
    .innerJoin(customers, eq(customers.id, sessions.customerId))
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(
      sql`${sessions.customerId} = ${sql.placeholder('customerId')}
        and ${sessions.idHash} = ${sql.placeholder('idHash')} and ${isSecretLive}
        and ${isSessionLive(sql.placeholder('idleMinutes'))}`,
    )
    .prepare(`principal_by_session_${include}`);
}

type Statements = { byKey: ReturnType<typeof byKey>; bySession: ReturnType<typeof bySession> };
const prepared = new WeakMap<Database, Map<Include, Statements>>();

/** Prepares each statement once per database. */
function statements(db: Database, include: Include): Statements {
  const known = prepared.get(db) ?? new Map<Include, Statements>();
  prepared.set(db, known);
  const found = known.get(include) ?? { byKey: byKey(db, include), bySession: bySession(db, include) };
  known.set(include, found);
  return found;
}

/**
 * The customer of an API key with the hashes of the valid secrets, which the caller has to check.
 * @param at the instant that selects the month of the balance
 */
export async function findByKey(db: Database, include: Include, apiKey: string, at: Date) {
  const [row] = await statements(db, include).byKey.execute({ apiKey, at: at.toISOString() });
  return row;
}

/**
 * The customer of a browser session that has not ended and whose secret is still valid. Records the use of the session.
 */
export async function findBySession(services: Services, include: Include, key: SessionKey, at: Date) {
  const idleMinutes = services.settings.SESSION_IDLE_MINUTES;
  const [row] = await statements(services.reads, include).bySession.execute({
    ...key,
    idleMinutes,
    at: at.toISOString(),
  });
  if (row) touchSession(services, key, row.sessionLastUsedAt);
  return row;
}

export type KeyRow = NonNullable<Awaited<ReturnType<typeof findByKey>>>;
export type SessionRow = NonNullable<Awaited<ReturnType<typeof findBySession>>>;
