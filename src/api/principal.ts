import { withDefault } from '#src/cards/default-card.ts';
import type { CustomerRecord } from '#src/customers/customer.ts';
import { type Payout, payoutOf } from '#src/ledger/payout.ts';
import type { KeyRow, SessionRow } from './principal-queries.ts';

/** The authenticated customer, with the data that the operation includes. */
export type Principal = {
  customerId: number;
  secretId: number;
  via: 'keys' | 'session';
  /** Null unless included. */
  record: CustomerRecord | null;
  /** Null unless included. */
  payout: Payout | null;
};

export function principalOf(row: KeyRow | SessionRow, via: Principal['via'], secretId: number): Principal {
  return { customerId: row.customerId, secretId, via, record: recordOf(row), payout: payoutIn(row) };
}

/** Timestamps in JSON from the database are text. */
function recordOf({ customer, city, cards }: KeyRow | SessionRow): CustomerRecord | null {
  if (!customer || !city || !cards) return null;
  const rows = cards.map((card) => ({ ...card, createdAt: new Date(card.createdAt) }));
  return { customer, city, cards: withDefault(rows, city.timezone) };
}

function payoutIn({ balance }: KeyRow | SessionRow): Payout | null {
  return balance ? payoutOf(balance.month, BigInt(balance.balanceCents), balance.timezone) : null;
}
