import type { customers } from '#db/schema.ts';
import type { Card } from '#src/cards/card.ts';
import type { City } from '#src/cities/city.ts';

export type Customer = typeof customers.$inferSelect;

/** A customer with the city and the active cards, without the ledger. */
export type CustomerRecord = { customer: Customer; city: City; cards: Card[] };
