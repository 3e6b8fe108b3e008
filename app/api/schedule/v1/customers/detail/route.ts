import { customerResponseSchema, presentCustomer } from '#contract/customer.ts';
import { endpoint } from '#http/endpoint.ts';
import { resource } from '#http/resource.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resource({
  GET: endpoint({
    name: 'customers.detail',
    include: 'record',
    output: customerResponseSchema,
    isRevalidated: true,
    run: async ({ principal: { record } }) => {
      if (!record) throw new Error('The record was not read.');
      return presentCustomer(record);
    },
  }),
});
