import { z } from 'zod';
import { addCardProblems, addCard as addCardToFile } from '#src/cards/add-card.ts';
import { defineOperation } from '../operation.ts';
import { cardLimitProblems, cardLimits } from '../rate-limits.ts';
import { cardSchema, presentCard } from '../schemas.ts';
import { authenticationResponse, refusalExample, refusedResponse } from './card-refusals.ts';
import recorded from './recorded.json' with { type: 'json' };

const text = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    // Of C0 and C1, in the syntax of all languages that generate validators from it.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
    .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, 'Must not contain control characters.')
    .refine((value) => value.isWellFormed(), 'Must not contain incomplete characters (lone surrogates).');

/** `null` means omitted. */
const optional = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .describe(description);

const between = (minimum: number, maximum: number, error: string) =>
  z.int(error).min(minimum, error).max(maximum, error);

const invalidMonth = 'Must be a month from 1 to 12.';
const month = z
  .union([z.string().regex(/^(0?[1-9]|1[0-2])$/, invalidMonth), between(1, 12, invalidMonth)], {
    error: invalidMonth,
  })
  .transform(String);

const invalidYear = 'Must be a year of two or four digits.';
const year = z
  .union(
    [
      z.string().regex(/^(\d{2}|[12]\d{3})$/, invalidYear),
      between(0, 99, invalidYear),
      between(1000, 2999, invalidYear),
    ],
    { error: invalidYear },
  )
  .transform(String);

const invalidLast4 = 'Must be the last four digits.';
const invalidToken = 'Must be a token (tok_…) or a payment method (pm_…) of the payment provider.';

const cardInputSchema = z
  .object({
    last4: optional(z.string().regex(/^\d{4}$/, invalidLast4), 'The last four digits of the card number.'),
    brand: optional(text(40), 'The card network, such as `visa`.'),
    funding: optional(text(20), '`credit`, `debit`, or `prepaid`.'),
    addressCountry: optional(text(60), 'The country of the billing address, such as `US`.'),
    addressZip: optional(text(20), 'The postal code of the billing address.'),
    isApplePayCard: optional(
      z.boolean(),
      'Whether the card comes from an Apple Pay wallet. The payment provider knows this, so its value is used.',
    ),
    expMonth: optional(month, 'The expiration month.'),
    expYear: optional(year, 'The expiration year.'),
  })
  .meta({
    id: 'CardInput',
    description:
      'What you know about the card. The payment provider’s values take precedence, and yours fill in what it doesn’t know. You can omit every field or send `null`, and you can send a CardObject.',
  });

const addCardRequestSchema = z
  .object({
    card: cardInputSchema
      .nullish()
      .transform((card) => card ?? {})
      .describe('What you know about the card.'),
    token: z
      .string()
      .max(255)
      .regex(/^(tok|pm)_[A-Za-z0-9_]+$/, invalidToken)
      .meta({
        description: 'Created in the browser with Stripe.js and this service’s publishable key.',
        examples: ['tok_visa'],
      }),
  })
  .meta({ id: 'AddCardRequest' });

const nextActionSchema = z
  .object({
    type: z.string().meta({
      description: 'What the cardholder must do. Currently always `authenticate`.',
      examples: ['authenticate'],
    }),
    client_secret: z.string().meta({
      description: 'For `stripe.handleNextAction({ clientSecret })` in the cardholder’s browser.',
      examples: ['seti_…_secret_…'],
    }),
  })
  .meta({
    id: 'NextAction',
    description: 'Only with the code `authentication_required`. The outcome isn’t final.',
  });

const addCardResponseSchema = z
  .discriminatedUnion('status', [
    z
      .object({
        status: z.literal(true).describe('The card was added.'),
        message: z.string().describe('A fixed message.'),
        card: cardSchema,
        replaced: z
          .uuid()
          .optional()
          .describe('The UUID of the card that was replaced, if the new card has the same number.'),
      })
      .meta({ title: 'CardAdded' }),
    z
      .object({
        status: z.literal(false).describe('The card was not added.'),
        message: z.string().describe('What happened and what to do, for the cardholder.'),
        code: z.string().meta({
          description: 'The reason, for your program. The errors page lists all codes.',
          examples: ['card_declined'],
        }),
        card: z.null().describe('Always `null`.'),
        next_action: nextActionSchema.optional(),
      })
      .meta({ title: 'CardNotAdded' }),
  ])
  .meta({
    id: 'AddCardResponse',
    description: 'Check `status`, because a declined card also returns HTTP 200.',
  });

export type AddCardRequest = z.input<typeof addCardRequestSchema>;
export type AddCardResponse = z.output<typeof addCardResponseSchema>;

export const addCard = defineOperation({
  id: 'addCard',
  method: 'POST',
  path: '/api/schedule/v1/payment/cards',
  summary: 'Add a card',
  description:
    'Adds the card that a token represents. A declined card returns 200 with `status: false`. If the cardholder’s bank wants to authenticate them, the response has a `next_action`; after it, post the same token again. Otherwise, if you post the same token again, you get the first outcome and no second card is added. A card with the same number and a new expiration date replaces the old one, whose UUID is then in `replaced`. Unlisted fields are ignored, but a card number in any field is rejected.',
  tag: 'Cards',
  request: { body: addCardRequestSchema },
  response: {
    status: 200,
    description: 'The card was added or declined, or its bank waits for the cardholder. Check `status`.',
    schema: addCardResponseSchema,
    examples: {
      added: { summary: 'Added', value: recorded.addCard },
      replaced: {
        summary: 'Added, and replaced the card with an earlier expiration date',
        value: recorded.addCardReplaced,
      },
      refused: { summary: 'Declined', value: refusedResponse('card_declined') },
      authentication: {
        summary: 'Authentication required',
        value: refusalExample('authentication_required'),
      },
    },
  },
  problems: [...addCardProblems, ...cardLimitProblems],
  docs: {
    slug: 'add-a-card',
    sample: { body: { token: 'tok_visa', card: { addressCountry: 'US', addressZip: '94103' } } },
    invalid: { body: { card: { expMonth: '13' } } },
    messages: [
      { message: invalidToken, cause: '`token` has neither form.' },
      { message: invalidLast4, cause: '`last4` isn’t four digits.' },
      { message: invalidMonth, cause: '`expMonth` isn’t a month such as `9`, `"9"`, or `"09"`.' },
      { message: invalidYear, cause: '`expYear` isn’t a year such as `2031`, `"31"`, or `"2031"`.' },
    ],
  },
  isProvisional: (response) => 'next_action' in response,
  run: async ({ services, principal: { customerId }, body }) => {
    const limit = cardLimits(services, customerId);
    const outcome = await addCardToFile(services, { customerId, ...body }, limit);
    if (outcome.status === 'added') {
      const message = 'Payment method was added successfully.';
      const replaced = outcome.replacedUuid ?? undefined;
      return { status: true as const, message, card: presentCard(outcome.card), replaced };
    }
    if (outcome.status === 'authentication_required') return authenticationResponse(outcome.clientSecret);
    return refusedResponse(outcome.failure);
  },
});
