import type { KeyRow, SessionRow } from '#db/queries/principal.ts';
import type { Card } from '#domain/cards/card.ts';
import type { City } from '#domain/cities/city.ts';
import type { Customer } from '#domain/customers/customer.ts';
import { type Payout, payoutOf } from '#domain/payout.ts';

/** Who calls, with what the operation asked to be read along. */
export type Principal = {
  customer: Customer;
  city: City;
  secretId: number;
  via: 'keys' | 'session';
  /** Empty unless asked for. */
  cards: Card[];
  payout: Payout | null;
};

export function principalOf(row: KeyRow | SessionRow, via: Principal['via'], secretId: number): Principal {
  const { customer, city, balance } = row;
  const payout = balance && payoutOf(balance.month, BigInt(balance.balanceCents), city.timezone);
  return { customer, city, secretId, via, cards: cardsOf(row), payout };
}

/** JSON from the database has its times as text. */
export function cardsOf(row: Pick<KeyRow, 'cards'>): Card[] {
  return (row.cards ?? []).map((card) => ({ ...card, createdAt: new Date(card.createdAt) }));
}
