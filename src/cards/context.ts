import type { Database } from '#db/client.ts';
import type { CardProvider } from '#src/payments/provider.ts';

/** What the card operations work with. */
export type CardContext = { db: Database; provider: CardProvider };

/** The most provider keys that an operation uses, and so the most times that it has the bank asked. */
export const bankRequestsMax = 10;

/** The most cards that a customer keeps on file. */
export const cardLimit = 20;
