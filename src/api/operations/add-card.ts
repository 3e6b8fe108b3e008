import { z } from 'zod';
import { db } from '#db/client.ts';
import { addCard as addCardToFile } from '#src/cards/add-card.ts';
import { isDecline } from '#src/cards/failures.ts';
import { cardProvider } from '#src/payments/stripe.ts';
import { defineOperation } from '../operation.ts';
import { countDecline, refuseAfterDeclines } from '../rate-limits.ts';
import recorded from '../recorded/responses.json' with { type: 'json' };
import { cardSchema, presentCard } from '../schemas/card.ts';
import { cardRefusals } from './card-refusals.ts';

const text = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    .regex(/^\P{Cc}*$/u, 'Must not contain control characters.');

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

const addCardRequestSchema = z
  .object({
    card: cardInputSchema,
    token: z
      .string()
      .max(255)
      .regex(
        /^(tok|pm)_[A-Za-z0-9_]+$/,
        'Must be a token (tok_…) or a payment method (pm_…) of the payment provider.',
      )
      .meta({
        description: "Made by the card-payment provider's library in the browser.",
        examples: ['tok_visa'],
      }),
  })
  .meta({ id: 'AddCardRequest' });

const addCardResponseSchema = z
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

export type AddCardRequest = z.input<typeof addCardRequestSchema>;
export type AddCardResponse = z.output<typeof addCardResponseSchema>;

export const addCard = defineOperation({
  id: 'addCard',
  method: 'POST',
  path: '/api/schedule/v1/payment/cards',
  summary: 'Add a card',
  description:
    'Adds the card behind a token. A refused card is answered with 200 and `status: false`. The same token posted again gives the first outcome and makes no second card; the same card number with a new expiry replaces the old card. Fields that are not listed are ignored, but a card number in any of them is refused.',
  tag: 'Cards',
  request: { body: addCardRequestSchema },
  responses: {
    200: {
      description: 'The card was added, or it was refused: see `status`.',
      schema: addCardResponseSchema,
      examples: {
        added: { summary: 'Added', value: recorded.addCard.added },
        refused: { summary: 'Refused', value: recorded.addCard.refused },
      },
    },
  },
  problems: ['token_invalid', 'card_in_flight', 'provider_unavailable', 'too_many_declines'],
  docs: {
    slug: 'add-a-card',
    sample: { body: { token: 'tok_visa', card: { addressCountry: 'US', addressZip: '94103' } } },
    invalid: { body: { card: { expMonth: '13' } } },
  },
  run: async ({ principal: { customerId }, body }) => {
    await refuseAfterDeclines(customerId);
    const outcome = await addCardToFile({ db: db(), provider: cardProvider }, { customerId, ...body });
    if (outcome.status === 'added') {
      const message = 'Payment method was added successfully.';
      return { status: true as const, message, card: presentCard(outcome.card) };
    }
    if (isDecline(outcome.failure)) await countDecline(customerId);
    const { message, code } = cardRefusals[outcome.failure];
    return { status: false as const, message, code, card: null };
  },
});
