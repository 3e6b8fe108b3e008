import { z } from 'zod';
import type { Card } from '#domain/cards/card.ts';
import { presentTimestamp, timestampSchema } from './timestamp.ts';

export const cardBrands = [
  'visa',
  'mastercard',
  'amex',
  'discover',
  'diners',
  'jcb',
  'unionpay',
  'unknown',
] as const;

export const cardSchema = z
  .object({
    id: z.int().positive().meta({ description: 'Identifier of the card; `uuid` works in its place.' }),
    uuid: z.uuid().meta({ description: 'Selects the card when you remove it.' }),
    last4: z
      .string()
      .regex(/^\d{4}$/)
      .nullable()
      .meta({ description: "The number's last digits." }),
    brand: z.enum(cardBrands).meta({ description: 'The network.' }),
    funding: z
      .string()
      .nullable()
      .meta({ description: '`credit`, `debit`, `prepaid` or `unknown`.', examples: ['credit'] }),
    addressCountry: z
      .string()
      .nullable()
      .meta({ description: 'Country of the billing address, two letters.' }),
    addressZip: z.string().nullable().meta({ description: 'Postal code of the billing address.' }),
    isApplePayCard: z.boolean().meta({ description: 'True for a card of an Apple Pay wallet.' }),
    expMonth: z
      .string()
      .regex(/^(0[1-9]|1[0-2])$/)
      .nullable()
      .meta({ examples: ['09'] }),
    expYear: z
      .string()
      .regex(/^\d{4}$/)
      .nullable()
      .meta({ examples: ['2031'] }),
    createdAt: timestampSchema,
  })
  .meta({ id: 'CardObject', description: 'A card on file. A text that is not known is `null`.' });

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
    createdAt: presentTimestamp(card.createdAt),
  };
}

const text = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^\P{Cc}*$/u, 'Must not hold control characters.');

/** What the request says of the card. What the provider says wins; this fills what the provider does not know. */
const cardInputSchema = z
  .object({
    last4: z
      .string()
      .regex(/^\d{4}$/, 'Must be the last four digits.')
      .optional(),
    brand: text(40).optional(),
    funding: text(20).optional(),
    addressCountry: text(60).optional(),
    addressZip: text(20).optional(),
    isApplePayCard: z.boolean().optional(),
    expMonth: z
      .string()
      .regex(/^(0?[1-9]|1[0-2])$/, 'Must be a month from 1 to 12.')
      .optional(),
    expYear: z
      .string()
      .regex(/^(\d{2}|[12]\d{3})$/, 'Must be a year of two or four digits.')
      .optional(),
  })
  .meta({
    id: 'CardInput',
    description:
      'What you know of the card. What the provider says of it wins; this fills what it does not know.',
  });

export const addCardRequestSchema = z
  .object({
    card: cardInputSchema,
    token: z
      .string()
      .max(255)
      .regex(
        /^(tok|pm)_[A-Za-z0-9_]+$/,
        'Must be a token (tok_…) or a payment method (pm_…) of the card-payment provider.',
      )
      .meta({
        description: "Made by the card-payment provider's library in the browser.",
        examples: ['tok_visa'],
      }),
  })
  .meta({ id: 'AddCardRequest' });

export type AddCardRequest = z.infer<typeof addCardRequestSchema>;

export const cardAddedMessage = 'Payment method was added successfully.';
export const cardRemovedMessage = 'Payment method was removed successfully.';

export const addCardResponseSchema = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal(true), message: z.string(), card: cardSchema }),
    z.object({
      status: z.literal(false),
      message: z
        .string()
        .meta({ description: 'What happened and what to do, for the person whose card it is.' }),
      code: z.string().meta({ examples: ['card_declined'] }),
      card: z.null(),
    }),
  ])
  .meta({
    id: 'AddCardResponse',
    description: 'Check `status`: a refused card is answered with HTTP 200 too.',
  });

export type AddCardResponse = z.infer<typeof addCardResponseSchema>;

export const removeCardResponseSchema = z
  .object({ status: z.literal(true), message: z.string() })
  .meta({ id: 'RemoveCardResponse' });

/** A card's uuid, or its integer id; no id is larger than the database can hold, so larger ones are just unknown. */
export const cardSelectorSchema = z.union([z.uuid(), z.string().regex(/^\d+$/)]);
