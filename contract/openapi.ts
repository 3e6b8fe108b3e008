import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import { addCardRequestSchema, addCardResponseSchema, removeCardResponseSchema } from './card.ts';
import { customerResponseSchema } from './customer.ts';
import { errorSchema } from './error.ts';
import { payoutResponseSchema } from './payout.ts';

const requestId = {
  'X-Request-Id': { description: 'Finds this request in the log.', schema: { type: 'string' as const } },
};
const rateLimit = {
  'RateLimit-Policy': {
    description: 'The budget: `q` requests in `w` seconds.',
    schema: { type: 'string' as const },
  },
  RateLimit: {
    description: 'What is left (`r`) and until when (`t` seconds).',
    schema: { type: 'string' as const },
  },
};
const retryAfter = {
  'Retry-After': { description: 'Seconds until another try can help.', schema: { type: 'integer' as const } },
};
const replayed = {
  'Idempotent-Replayed': {
    description: '`true` on the answer of an earlier request.',
    schema: { type: 'string' as const },
  },
};

const failures: Record<number, string> = {
  400: 'A parameter is missing, of the wrong type or impossible.',
  401: 'One of the two headers is missing.',
  403: 'The key is not known, the secret is wrong, or the account is disabled.',
  404: 'There is no such card among yours.',
  405: 'The method is not allowed here.',
  409: 'The same token or `Idempotency-Key` is being processed.',
  413: 'The body is larger than 16 KiB.',
  415: 'The body is not `application/json`.',
  422: 'The `Idempotency-Key` was used for a different request.',
  424: 'The card-payment provider could not be reached or failed.',
  429: 'Over a limit.',
  500: 'A fault of the service.',
  503: 'The service cannot reach its database.',
};
const withRetry = new Set([409, 424, 429, 503]);

function answers(
  schema: z.ZodType,
  headers: Record<string, object>,
  statuses: number[],
): ZodOpenApiResponsesObject {
  const failed = statuses.map((status) => [
    String(status),
    {
      description: failures[status] ?? '',
      headers: { ...requestId, ...(withRetry.has(status) && retryAfter) },
      content: { 'application/json': { schema: errorSchema } },
    },
  ]);
  return {
    '200': {
      description: 'Done.',
      headers: { ...requestId, ...rateLimit, ...headers },
      content: { 'application/json': { schema } },
    },
    ...Object.fromEntries(failed),
  };
}

const etag = { ETag: { description: 'For `If-None-Match`.', schema: { type: 'string' as const } } };
const notModified = {
  '304': { description: 'Not changed since `If-None-Match`.', headers: { ...requestId, ...etag } },
};
const ifNoneMatch = z.string().optional().meta({ description: 'The `ETag` of an earlier answer.' });
const idempotencyKey = z.string().min(1).max(255).optional().meta({
  description:
    'Any printable ASCII text of your own: a repeated request with it gets the first answer, for 24 hours.',
});

const always = [401, 403, 405, 429, 500, 503];

function read(
  operationId: string,
  summary: string,
  description: string,
  schema: z.ZodType,
): ZodOpenApiOperationObject {
  return {
    operationId,
    summary,
    description,
    tags: ['Customer'],
    requestParams: { header: z.object({ 'If-None-Match': ifNoneMatch }) },
    responses: { ...answers(schema, etag, always), ...notModified },
  };
}

const addCard: ZodOpenApiOperationObject = {
  operationId: 'addCard',
  summary: 'Add a card',
  description:
    'Adds the card behind a token. A refused card is answered with 200 and `status: false`. The same token posted again gives the first outcome and makes no second card; the same card number with a new expiry replaces the old card.',
  tags: ['Cards'],
  requestParams: { header: z.object({ 'Idempotency-Key': idempotencyKey }) },
  requestBody: { required: true, content: { 'application/json': { schema: addCardRequestSchema } } },
  responses: answers(addCardResponseSchema, replayed, [400, ...always, 409, 413, 415, 422, 424]),
};

const removeCard: ZodOpenApiOperationObject = {
  operationId: 'removeCard',
  summary: 'Remove a card',
  description:
    'From this answer on no read shows the card. Detaching it at the provider is finished later if it is down.',
  tags: ['Cards'],
  requestParams: {
    path: z.object({ uuid: z.string().meta({ description: "The card's `uuid`, or its integer `id`." }) }),
    header: z.object({ 'Idempotency-Key': idempotencyKey }),
  },
  responses: answers(removeCardResponseSchema, replayed, [400, 404, ...always, 409, 422]),
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
      version: '1.0.0',
      description: `Keys come from our support team: ${about.supportContact}.`,
    },
    servers: [{ url: about.publicUrl }],
    security: [{ apiKey: [], apiSecret: [] }],
    tags: [{ name: 'Customer' }, { name: 'Cards' }],
    paths: {
      '/schedule/v1/customers/detail': {
        get: read(
          'getCustomer',
          'Read the customer',
          'Your record with your city and your cards.',
          customerResponseSchema,
        ),
      },
      '/api/schedule/v1/customers/payout': {
        get: read(
          'getPayout',
          'Read the month-end payout',
          'The balance to pay at the end of the current month of your city: every entry that takes effect before the next month, deliveries already booked included.',
          payoutResponseSchema,
        ),
      },
      '/api/schedule/v1/payment/cards': { post: addCard },
      '/api/schedule/v1/payment/cards/{uuid}': { delete: removeCard },
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-AUTH-APIKEY' },
        apiSecret: { type: 'apiKey', in: 'header', name: 'X-AUTH-APISECRET' },
      },
    },
  });
}
