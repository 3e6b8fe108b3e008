import { defineOperation } from '../operation.ts';
import { customerResponseSchema, presentCustomer } from '../schemas/customer.ts';
import recorded from './recorded.json' with { type: 'json' };

export const getCustomer = defineOperation({
  id: 'getCustomer',
  method: 'GET',
  path: '/schedule/v1/customers/detail',
  summary: 'Get the customer',
  description: 'Gets your account with its city and its cards on file.',
  tag: 'Customer',
  reads: 'record',
  dependsOnlyOnReads: true,
  responses: {
    200: {
      description: 'Your account.',
      schema: customerResponseSchema,
      examples: { customer: { summary: 'A customer with a card', value: recorded.getCustomer } },
    },
  },
  docs: { slug: 'get-the-customer' },
  run: async ({ principal }) => presentCustomer(principal.record),
});
