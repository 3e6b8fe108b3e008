import type { customers } from '#db/schema.ts';
import type { Card } from '#src/cards/card.ts';
import type { City } from '#src/cities/city.ts';

export type Customer = typeof customers.$inferSelect;

/** What the service keeps of a customer, but for what is owed: with the city and the active cards. */
export type CustomerRecord = { customer: Customer; city: City; cards: Card[] };
