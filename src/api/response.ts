import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type ProblemCode, problems } from '#src/errors.ts';
import type { HttpResponse } from './messages.ts';
import { type ApiResponse, type Context, isRead, type Middleware } from './operation.ts';
import { withRecord } from './principal.ts';
import type { HttpProblem } from './problems.ts';

export const errorSchema = z
  .object({
    error: z.object({
      code: z.int().describe('The HTTP status.'),
      message: z.string().describe('What happened, for your developers. The wording can change.'),
      type: z.string().meta({
        description:
          'The error, for your program. The errors page lists all types, and new ones can be added.',
        examples: ['invalid_input'],
      }),
      doc_url: z.url().describe('The cause of the error and how to fix it.'),
      request_id: z
        .string()
        .describe('Include it when you contact support. In a replay, this is the ID of the first request.'),
      details: z
        .array(z.object({ param: z.string().meta({ examples: ['card.expMonth'] }), message: z.string() }))
        .optional()
        .describe('For a 400: the invalid parameters and what is wrong with each.'),
    }),
  })
  .meta({ id: 'ErrorResponse' });

export type ErrorBody = z.infer<typeof errorSchema>;

export type ErrorContext = {
  requestId: string;
  services: { settings: { publicUrl: string } };
};

export function problemResponse(problem: HttpProblem, { requestId, services }: ErrorContext): ApiResponse {
  const { code: type } = problem;
  const { status, message } = problems[type];
  const details = status === 400 && problem.details.length > 0 ? { details: problem.details } : {};
  const doc_url = docUrl(services.settings.publicUrl, type);
  const body: ErrorBody = {
    error: { code: status, message, type, doc_url, request_id: requestId, ...details },
  };
  return { status, body: JSON.stringify(body), headers: problem.headers };
}

/** @returns the entry of a problem on the errors page */
export function docUrl(publicUrl: string, type: ProblemCode): string {
  return `${publicUrl}/docs/errors#${type}`;
}

/** Headers of every response of the API. */
const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** HSTS (RFC 6797), which is sent over HTTPS only. */
export function transportSecurity(publicUrl: string): Record<string, string> {
  if (!publicUrl.startsWith('https:')) return {};
  return { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' };
}

/** The response to HEAD has no body, but its headers. */
export function toResponse(
  response: ApiResponse,
  { services, request, requestId }: Pick<Context, 'services' | 'request' | 'requestId'>,
): HttpResponse {
  const hasBody = response.status !== 304 && response.status !== 204;
  const headers = {
    ...(hasBody && { 'Content-Type': 'application/json; charset=utf-8' }),
    ...commonHeaders,
    ...transportSecurity(services.settings.publicUrl),
    'X-Request-Id': requestId,
    ...response.headers,
  };
  return {
    status: response.status,
    headers,
    body: hasBody && request.method !== 'HEAD' ? response.body : null,
  };
}

/**
 * Lets a caller with an API key cache and revalidate reads (RFC 9110, section 13.1.2). Browser sessions do not cache.
 */
export const revalidate: Middleware = (operation) => {
  if (!isRead(operation)) return null;
  return async (context, next) => {
    const response = await next(context);
    if (response.etag === undefined || context.principal?.via !== 'keys') return response;
    const headers = {
      ETag: response.etag,
      'Cache-Control': 'private, no-cache',
      Vary: 'X-AUTH-APIKEY, X-AUTH-APISECRET, Cookie',
    };
    const isSame = context.request.headers
      .get('if-none-match')
      ?.split(',')
      .some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === response.etag);
    return isSame ? { status: 304, body: '', headers } : { ...response, headers };
  };
};

/** A response's body, and the entity tag of exactly this body. */
type TaggedBody = { body: string; etag: string };

/**
 * Serializes an operation's output as JSON that conforms to its response schema. A body that conformed before is not
 * parsed again, because most reads find what the last one found.
 * @returns a function that throws ZodError for an output that does not conform
 */
export function responseSerializer(schema: z.ZodType): (output: unknown) => TaggedBody {
  const knownTags = new LRUCache<string, true>({ max: 10_000 });
  return (output) => {
    const received = tagged(JSON.stringify(output));
    if (knownTags.has(received.etag)) return received;
    // Fields that the schema does not know are left out.
    const parsed = tagged(JSON.stringify(schema.parse(output)));
    knownTags.set(parsed.etag, true);
    return parsed;
  };
}

function tagged(body: string): TaggedBody {
  return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}

/** Characters of all bodies of an operation, and their number. */
const sizeMax = 32 * 1024 * 1024;
const responsesMax = 10_000;
/** A body that nobody asks for any more, such as an erased customer's, does not stay in memory. */
const ttlMs = 60 * 60 * 1000;

/**
 * Reads the record, unless the response for its version is cached. The statement that authenticates a request also reads
 * the version, so no response is sent that the database has not confirmed for this request.
 */
export const cacheResponses: Middleware = ({ reads, dependsOnlyOnReads }) => {
  if (reads === undefined) return null;
  const responses = new LRUCache<string, ApiResponse>({
    max: responsesMax,
    maxSize: sizeMax,
    ttl: ttlMs,
    ttlAutopurge: true,
    sizeCalculation: ({ body }) => body.length + 1,
  });
  return async (context, next) => {
    const { principal, services } = context;
    const cached = principal?.version && responses.get(principal.version);
    if (cached) return cached;
    if (reads === 'record' && principal && !principal.record) {
      const row = await services.keyReads.findRecord(principal.customerId);
      if (row) context.principal = withRecord(principal, row);
    }
    const response = await next(context);
    const version = context.principal?.version;
    if (dependsOnlyOnReads && version && response.etag !== undefined) responses.set(version, response);
    return response;
  };
};
