import { z } from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { contactHref } from '#src/contact-href.ts';
import type { Settings } from '#src/settings.ts';
import { exampleETag, responsesOf } from './openapi-responses.ts';
import { isRead, type Operation } from './operation.ts';
import { operations } from './operations/index.ts';

/** The version of the document; `v1` in the paths is the version of the contract. */
const apiVersion = '1.0.0';

const requestId = z
  .string()
  .optional()
  .meta({
    description:
      'Your own ID for this request: 8 to 64 letters, digits, `.`, `_`, `:`, or `-`. Any other value is replaced with a new ID.',
    examples: ['order-2026-11-20.7'],
  });
const ifNoneMatch = z
  .string()
  .optional()
  .meta({ description: 'The `ETag` of an earlier response.', examples: [exampleETag] });
const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[\x20-\x7e]+$/)
  .optional()
  .describe(
    'A printable ASCII string that identifies the request. For 24 hours, a repeated request with the same key gets the first response.',
  );
const readHeaders = z.object({ 'If-None-Match': ifNoneMatch, 'X-Request-Id': requestId });
/** Each operation has another example, because a key is for one operation. */
const writeHeaders = ({ id }: Operation) => {
  const key = idempotencyKey.meta({ ...idempotencyKey.meta(), examples: [`order-71-${id}`] });
  return z.object({ 'Idempotency-Key': key, 'X-Request-Id': requestId });
};

function operationObject(operation: Operation): ZodOpenApiOperationObject {
  const { params, query, headers, body } = operation.request ?? {};
  const common = isRead(operation) ? readHeaders : writeHeaders(operation);
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.tag],
    requestParams: {
      ...(params && { path: params }),
      ...(query && { query }),
      header: headers ? common.extend(headers.shape) : common,
    },
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body, example: operation.docs.sample?.body } },
      },
    }),
    responses: responsesOf(operation),
  };
}

/** What a client may rely on is less than what the service checks: it can add fields and values to responses. */
const override: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema, io }) => {
  if (io === 'output') {
    delete jsonSchema.additionalProperties;
    if (jsonSchema.enum) {
      jsonSchema['x-extensible-enum'] = jsonSchema.enum;
      delete jsonSchema.enum;
    }
  }
  // Zod's bounds of an integer, and its pattern of a UUID, say no more than `type` and `format`.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format === 'uuid') delete jsonSchema.pattern;
};

/** Tools that import the document read the example of a parameter, but not those of its schema. */
function withParameterExamples<Document extends { paths?: object }>(document: Document): Document {
  type Parameter = { example?: unknown; schema: { examples?: unknown[] } };
  const items = Object.values(document.paths ?? {}) as Record<string, { parameters?: Parameter[] }>[];
  for (const { parameters = [] } of items.flatMap((item) => Object.values(item))) {
    for (const parameter of parameters) [parameter.example] = parameter.schema.examples ?? [];
  }
  return document;
}

function pathsObject(): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operations) {
    const method = operation.method.toLowerCase();
    paths[operation.path] = { ...paths[operation.path], [method]: operationObject(operation) };
  }
  return paths;
}

type DocumentSettings = Pick<Settings, 'SERVICE_NAME' | 'SUPPORT_CONTACT' | 'publicUrl'>;

/** The OpenAPI document, generated from the operations. */
export function openApiDocument({ SERVICE_NAME, SUPPORT_CONTACT, publicUrl }: DocumentSettings) {
  return withParameterExamples(
    createDocument(
      {
        openapi: '3.1.0',
        info: {
          title: `${SERVICE_NAME} API`,
          version: apiVersion,
          description: `Get API keys from support: ${SUPPORT_CONTACT}. Guides and a console are at ${publicUrl}/docs. Each path is available under /api/schedule/v1, /schedule/v1, and /api/v1.`,
          contact: contactOf(SUPPORT_CONTACT),
          license: { name: 'MIT', identifier: 'MIT' },
        },
        externalDocs: { description: 'API reference and guides', url: `${publicUrl}/docs` },
        servers: [{ url: publicUrl, description: SERVICE_NAME }],
        security: [{ apiKey: [], apiSecret: [] }],
        tags: [
          { name: 'Customer', description: 'Your account and what you owe.' },
          { name: 'Cards', description: 'Your payment cards.' },
        ],
        paths: pathsObject(),
        components: {
          securitySchemes: {
            apiKey: {
              type: 'apiKey',
              in: 'header',
              name: 'X-AUTH-APIKEY',
              description: 'Identifies your account: `key_live_…` or `key_test_…`.',
            },
            apiSecret: {
              type: 'apiKey',
              in: 'header',
              name: 'X-AUTH-APISECRET',
              description:
                'Authenticates your account: `secret_live_…` or `secret_test_…`. It is shown once, when it is issued.',
            },
          },
        },
      },
      { override },
    ),
  );
}

function contactOf(contact: string): { name: string; email?: string; url?: string } {
  const href = contactHref(contact);
  if (href === undefined) return { name: contact };
  return { name: 'Support', ...(href === contact ? { url: href } : { email: contact }) };
}

/** As much of JSON Schema as the OpenAPI document uses. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  /** Values so far; others can be added. */
  'x-extensible-enum'?: unknown[];
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  description?: string;
  pattern?: string;
  maxLength?: number;
};
