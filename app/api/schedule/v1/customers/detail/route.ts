import { endpoint } from '#src/api/endpoint.ts';
import { resource } from '#src/api/resource.ts';
import { customerResponseSchema, presentCustomer } from '#src/api/schemas/customer.ts';

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
