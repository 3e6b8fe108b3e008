import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi';
import {
  addCardRequestSchema,
  addCardResponseSchema,
  removeCardResponseSchema,
} from '#src/api/schemas/card-operations.ts';
import { customerResponseSchema } from '#src/api/schemas/customer.ts';
import { payoutResponseSchema } from '#src/api/schemas/payout.ts';
import examples from './examples.json' with { type: 'json' };
import { failuresOf } from './failure-examples.ts';
import { changeHeaders, readHeaders } from './headers.ts';
import { changeAnswers, readAnswers } from './responses.ts';

/** The version of the document; `v1` in the paths is the version of the promise. */
export const apiVersion = '1.0.0';

const getCustomer: ZodOpenApiOperationObject = {
  operationId: 'getCustomer',
  summary: 'Read the customer',
  description: 'Your record with your city and your cards.',
  tags: ['Customer'],
  requestParams: { header: readHeaders },
  responses: readAnswers({
    schema: customerResponseSchema,
    done: 'Your record.',
    examples: { customer: { summary: 'A customer with a card', value: examples.getCustomer } },
    failures: failuresOf.getCustomer,
  }),
};

const getPayout: ZodOpenApiOperationObject = {
  operationId: 'getPayout',
  summary: 'Read the month-end payout',
  description:
    'The balance to pay at the end of the current month of your city: every entry that takes effect before the next month, deliveries already booked included.',
  tags: ['Customer'],
  requestParams: { header: readHeaders },
  responses: readAnswers({
    schema: payoutResponseSchema,
    done: 'The balance.',
    examples: {
      payout: { summary: 'A balance to pay', value: examples.getPayout },
      credit: { summary: 'A credit', value: examples.getPayoutInCredit },
    },
    failures: failuresOf.getPayout,
  }),
};

const addCard: ZodOpenApiOperationObject = {
  operationId: 'addCard',
  summary: 'Add a card',
  description:
    'Adds the card behind a token. A refused card is answered with 200 and `status: false`. The same token posted again gives the first outcome and makes no second card; the same card number with a new expiry replaces the old card. Fields that are not listed are ignored, but a card number in any of them is refused.',
  tags: ['Cards'],
  requestParams: { header: changeHeaders },
  requestBody: { required: true, content: { 'application/json': { schema: addCardRequestSchema } } },
  responses: changeAnswers(
    {
      schema: addCardResponseSchema,
      done: 'The card was added, or it was refused: see `status`.',
      examples: {
        added: { summary: 'Added', value: examples.addCard.added },
        refused: { summary: 'Refused', value: examples.addCard.refused },
      },
      failures: failuresOf.addCard,
    },
    [409, 413, 415, 422, 424],
  ),
};

const removeCard: ZodOpenApiOperationObject = {
  operationId: 'removeCard',
  summary: 'Remove a card',
  description:
    'Removes one of your cards. Once this is answered with 200, no read shows the card and nothing can use it. If the card-payment provider is down, the card is removed here all the same, and detached there later.',
  tags: ['Cards'],
  requestParams: {
    path: z.object({
      uuid: z.string().meta({
        description: "The card's `uuid`, or its integer `id`.",
        examples: ['00000000-0000-4000-8000-000000000001'],
      }),
    }),
    header: changeHeaders,
  },
  responses: changeAnswers(
    {
      schema: removeCardResponseSchema,
      done: 'The card is removed.',
      examples: { removed: { summary: 'Removed', value: examples.removeCard } },
      failures: failuresOf.removeCard,
    },
    [404, 409, 422],
  ),
};

/**
 * The OpenAPI document, made from the schemas that read requests and check answers.
 * @param about the operator's name for the service, its contact, and its address
 */
export function openApiDocument(about: { serviceName: string; supportContact: string; publicUrl: string }) {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: `${about.serviceName} API`,
      version: apiVersion,
      description: `Keys come from our support team: ${about.supportContact}. Guides and a console are at ${about.publicUrl}/docs. Each path is answered at /api/schedule/v1, /schedule/v1 and /api/v1 alike.`,
      contact: { name: about.supportContact },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'Reference and guides', url: `${about.publicUrl}/docs` },
    servers: [{ url: about.publicUrl, description: about.serviceName }],
    security: [{ apiKey: [], apiSecret: [] }],
    tags: [
      { name: 'Customer', description: 'Your record, and what you owe.' },
      { name: 'Cards', description: 'The cards that are charged.' },
    ],
    paths: {
      '/schedule/v1/customers/detail': { get: getCustomer },
      '/api/schedule/v1/customers/payout': { get: getPayout },
      '/api/schedule/v1/payment/cards': { post: addCard },
      '/api/schedule/v1/payment/cards/{uuid}': { delete: removeCard },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-AUTH-APIKEY',
          description: 'Says who calls: `key_live_…` or `key_test_…`.',
        },
        apiSecret: {
          type: 'apiKey',
          in: 'header',
          name: 'X-AUTH-APISECRET',
          description: 'Proves it: `secret_live_…` or `secret_test_…`. Shown once, when it is issued.',
        },
      },
    },
  });
}
