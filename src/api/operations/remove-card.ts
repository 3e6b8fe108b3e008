import { z } from 'zod';
import { removeCard as removeCardFromFile, removeCardProblems } from '#src/cards/remove-card.ts';
import { defineOperation } from '../operation.ts';
import recorded from './recorded.json' with { type: 'json' };

const removeCardResponseSchema = z
  .object({
    status: z.literal(true).describe('The card was removed.'),
    message: z.string().describe('A fixed message.'),
  })
  .meta({ id: 'RemoveCardResponse' });

const invalidSelector = 'Must be the uuid or the integer id of a card.';
/** IDs above the database's integer range do not exist, so they are unknown and not invalid. */
const selectorSchema = z.union([z.uuid(), z.string().regex(/^\d+$/)], { error: invalidSelector }).meta({
  description: 'The card’s `uuid` or its integer `id`.',
  examples: ['00000000-0000-4000-8000-000000000001'],
});

export const removeCard = defineOperation({
  id: 'removeCard',
  method: 'DELETE',
  path: '/api/schedule/v1/payment/cards/{uuid}',
  summary: 'Remove a card',
  description:
    'Removes one of your cards. After a 200 response, the card no longer appears in any response and can’t be charged. If the payment provider is down, the card is still removed here and is detached at the provider later.',
  tag: 'Cards',
  request: { params: z.object({ uuid: selectorSchema }) },
  response: {
    status: 200,
    description: 'The card was removed.',
    schema: removeCardResponseSchema,
    examples: { removed: { summary: 'Removed', value: recorded.removeCard } },
  },
  problems: removeCardProblems,
  docs: {
    slug: 'remove-a-card',
    sample: { params: { uuid: '00000000-0000-4000-8000-000000000001' } },
    invalid: { params: { uuid: 'my-card' } },
    messages: [{ message: invalidSelector, cause: 'The last part of the path is neither.' }],
  },
  run: async ({ services, principal: { customerId }, params, idempotencyKey }) => {
    const selector = params.uuid.toLowerCase();
    await removeCardFromFile(services, { customerId, selector, idempotencyKey });
    return { status: true as const, message: 'Payment method was removed successfully.' };
  },
});
