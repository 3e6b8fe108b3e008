import type { cards } from '#db/schema.ts';

/** A card on file, as its owner may see it. */
export type Card = Pick<
  typeof cards.$inferSelect,
  | 'id'
  | 'uuid'
  | 'last4'
  | 'brand'
  | 'funding'
  | 'addressCountry'
  | 'addressZip'
  | 'isApplePayCard'
  | 'expMonth'
  | 'expYear'
  | 'createdAt'
>;
