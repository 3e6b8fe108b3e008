import type { Database } from '#db/client.ts';
import type { CardProvider } from '#src/payments/provider.ts';

/** What the card operations work with. */
export type CardContext = { db: Database; provider: CardProvider };

/** The most cards that a customer keeps on file. */
export const cardLimit = 20;
