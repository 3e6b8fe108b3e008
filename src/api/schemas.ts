/** What the responses of several operations have in common. */
import { z } from 'zod';
import { type Card, cardBrands } from '#src/cards/card.ts';
import { formatInstant } from '#src/instant.ts';

/** ISO 8601 with a numeric offset, never `Z`. */
export const timestampSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\+|-)\d{2}:\d{2}$/)
  .meta({ description: 'ISO 8601 with a numeric offset.', examples: ['2026-11-20T23:45:00+00:00'] });

export const cardSchema = z
  .object({
    id: z.int().positive().describe('The card’s ID. You can use `uuid` instead.'),
    uuid: z.uuid().describe('The card’s UUID, which you use to remove the card.'),
    last4: z
      .string()
      .regex(/^\d{4}$/)
      .nullable()
      .describe('The last four digits of the card number.'),
    brand: z.enum(cardBrands).describe('The card network.'),
    funding: z
      .string()
      .nullable()
      .meta({ description: '`credit`, `debit`, `prepaid`, or `unknown`.', examples: ['credit'] }),
    addressCountry: z
      .string()
      .nullable()
      .describe('The country of the billing address, usually a two-letter code.'),
    addressZip: z.string().nullable().describe('The postal code of the billing address.'),
    isApplePayCard: z.boolean().describe('Whether the card comes from an Apple Pay wallet.'),
    expMonth: z
      .string()
      .regex(/^(0[1-9]|1[0-2])$/)
      .nullable()
      .meta({ description: 'The expiration month.', examples: ['09'] }),
    expYear: z
      .string()
      .regex(/^\d{4}$/)
      .nullable()
      .meta({ description: 'The expiration year.', examples: ['2031'] }),
    isDefault: z
      .boolean()
      .describe(
        'Whether this is the default card for payments: the newest card that hasn’t expired, by the month in the city’s time zone.',
      ),
    createdAt: timestampSchema,
  })
  .meta({ id: 'CardObject', description: 'A card on file. An unknown value is `null`.' });

export type CardObject = z.infer<typeof cardSchema>;

export function presentCard(card: Card): CardObject {
  return {
    id: card.id,
    uuid: card.uuid,
    last4: card.last4,
    brand: cardBrands.find((brand) => brand === card.brand) ?? 'unknown',
    funding: card.funding,
    addressCountry: card.addressCountry,
    addressZip: card.addressZip,
    isApplePayCard: card.isApplePayCard,
    expMonth: card.expMonth === null ? null : String(card.expMonth).padStart(2, '0'),
    expYear: card.expYear === null ? null : String(card.expYear),
    isDefault: card.isDefault,
    createdAt: formatInstant(card.createdAt),
  };
}
