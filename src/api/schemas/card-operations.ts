import { z } from 'zod';
import { cardSchema } from './card.ts';

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
      .optional()
      .meta({ description: "The number's last digits." }),
    brand: text(40).optional().meta({ description: 'The network, such as `visa`.' }),
    funding: text(20).optional().meta({ description: '`credit`, `debit` or `prepaid`.' }),
    addressCountry: text(60)
      .optional()
      .meta({ description: 'Country of the billing address, such as `US`.' }),
    addressZip: text(20).optional().meta({ description: 'Postal code of the billing address.' }),
    isApplePayCard: z.boolean().optional().meta({ description: 'True for a card of an Apple Pay wallet.' }),
    expMonth: z
      .string()
      .regex(/^(0?[1-9]|1[0-2])$/, 'Must be a month from 1 to 12.')
      .optional()
      .meta({ description: 'Month of the expiry.' }),
    expYear: z
      .string()
      .regex(/^(\d{2}|[12]\d{3})$/, 'Must be a year of two or four digits.')
      .optional()
      .meta({ description: 'Year of the expiry.' }),
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
    z.object({
      status: z.literal(true).meta({ description: 'The card was added.' }),
      message: z.string().meta({ description: 'Always the same words.' }),
      card: cardSchema,
    }),
    z.object({
      status: z.literal(false).meta({ description: 'The card was refused: nothing was added.' }),
      message: z
        .string()
        .meta({ description: 'What happened and what to do, for the person whose card it is.' }),
      code: z.string().meta({
        description: 'Why, for your program: see the refused cards in the catalog of errors.',
        examples: ['card_declined'],
      }),
      card: z.null().meta({ description: 'There is none.' }),
    }),
  ])
  .meta({
    id: 'AddCardResponse',
    description: 'Check `status`: a refused card is answered with HTTP 200 too.',
  });

export type AddCardResponse = z.infer<typeof addCardResponseSchema>;

export const removeCardResponseSchema = z
  .object({
    status: z.literal(true).meta({ description: 'The card was removed.' }),
    message: z.string().meta({ description: 'Always the same words.' }),
  })
  .meta({ id: 'RemoveCardResponse' });

/** A card's uuid, or its integer id; no id is larger than the database can hold, so larger ones are just unknown. */
export const cardSelectorSchema = z.union([z.uuid(), z.string().regex(/^\d+$/)]);
