import { monthIn, withDefault } from '#src/cards/default-card.ts';
import type { CustomerRecord } from '#src/customers/get-customer.ts';
import { type Payout, payoutOf } from '#src/ledger/monthly-balances.ts';
import type { KeyRow, RecordRow } from './key-reads.ts';
import type { SessionRow } from './session-reads.ts';

/** The authenticated customer, with the data that the operation includes. */
export type Principal = {
  customerId: number;
  secretId: number;
  via: 'keys' | 'session';
  /** Null unless included, and not read if the version is known. */
  record: CustomerRecord | null;
  /** Null unless included. */
  payout: Payout | null;
  /** What the included data was read from: as long as it is the same, so is the data. Null for a session. */
  version: string | null;
};

export function principalOfKey(row: KeyRow, secretId: number): Principal {
  const { customerId, balance } = row;
  const version = balance ? Object.values(balance).join(' ') : versionOf(row, new Date());
  return { customerId, secretId, via: 'keys', record: null, payout: payoutIn(row), version };
}

export function principalOfSession(row: SessionRow): Principal {
  const { customerId, secretId } = row;
  const record = recordOf(row, new Date());
  return { customerId, secretId, via: 'session', record, payout: payoutIn(row), version: null };
}

/** @param row what was read after the customer was authenticated */
export function withRecord(principal: Principal, row: RecordRow): Principal {
  const now = new Date();
  return { ...principal, record: recordOf(row, now), version: versionOf(row, now) };
}

/** The default card depends on the month in the city, too. */
function versionOf({ version, timezone }: Pick<KeyRow, 'version' | 'timezone'>, now: Date): string | null {
  if (!version || !timezone) return null;
  const { year, month } = monthIn(timezone, now);
  return `${version} ${year}-${month}`;
}

/** Timestamps in JSON from the database are text. */
function recordOf({ customer, city, cards }: SessionRow | RecordRow, now: Date): CustomerRecord | null {
  if (!customer || !city || !cards) return null;
  const rows = cards.map((card) => ({ ...card, createdAt: new Date(card.createdAt) }));
  return { customer, city, cards: withDefault(rows, city.timezone, now) };
}

function payoutIn({ balance }: Pick<SessionRow, 'balance'>): Payout | null {
  return balance ? payoutOf(balance.month, BigInt(balance.balanceCents), balance.timezone) : null;
}
