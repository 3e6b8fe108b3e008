import { defineOperation } from '../operation.ts';
import recorded from '../recorded/responses.json' with { type: 'json' };
import { customerResponseSchema, presentCustomer } from '../schemas/customer.ts';

export const getCustomer = defineOperation({
  id: 'getCustomer',
  method: 'GET',
  path: '/schedule/v1/customers/detail',
  summary: 'Get the customer',
  description: 'Your customer record with your city and your cards.',
  tag: 'Customer',
  reads: 'record',
  responses: {
    200: {
      description: 'Your customer record.',
      schema: customerResponseSchema,
      examples: { customer: { summary: 'A customer with a card', value: recorded.getCustomer } },
    },
  },
  docs: { slug: 'get-the-customer' },
  run: async ({ principal }) => presentCustomer(principal.record),
});
