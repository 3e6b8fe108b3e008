/** The answers of the operations as the OpenAPI document lists them: statuses, headers and bodies. */
import type { z } from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import { errorSchema } from '#src/api/schemas/error.ts';
import { type FailureName, failureExamples } from './failure-examples.ts';

type Header = { description: string; required: boolean; schema: { type: 'string' | 'integer' } };
type Headers = Record<string, Header>;

const header = (description: string, type: 'string' | 'integer' = 'string', required = true): Header => ({
  description,
  required,
  schema: { type },
});

const everywhere: Headers = {
  'X-Request-Id': header('Finds this request in the log: your own, where you sent a sane one.'),
  'Cache-Control': header('`no-store`, but on reads with a key: `private, no-cache`.'),
  'Server-Timing': header('`total;dur=` and the milliseconds spent on the request.', 'string', false),
};
const budget: Headers = {
  'RateLimit-Policy': header('The budget: `q` requests in `w` seconds.', 'string', false),
  RateLimit: header('What is left (`r`) and until when (`t` seconds).', 'string', false),
};
const replayed: Headers = {
  'Idempotent-Replayed': header('`true` on the answer of an earlier request.', 'string', false),
};
const retryAfter: Headers = { 'Retry-After': header('Seconds until another try can help.', 'integer') };
const kept: Headers = {
  ETag: header('For `If-None-Match`; there when you call with a key.', 'string', false),
  Vary: header('What the answer depends on; there when you call with a key.', 'string', false),
};

/** What each failed status means here, and the headers that only it has. */
const meanings: Record<number, { description: string; headers?: Headers }> = {
  400: {
    description: 'A parameter is missing, of the wrong type or impossible, or the request could not be read.',
  },
  401: {
    description: 'One of the two headers is missing or empty.',
    headers: { 'WWW-Authenticate': header('Names the two headers.') },
  },
  403: { description: 'The key is not known, the secret is wrong, or the account is disabled.' },
  404: { description: 'There is no such card among yours.' },
  405: {
    description: 'The method is not allowed here.',
    headers: { Allow: header('The methods that are.') },
  },
  408: { description: 'The request took too long to arrive.' },
  409: { description: 'The same token or `Idempotency-Key` is being processed.', headers: retryAfter },
  413: { description: 'The body is larger than 16 KiB.' },
  415: { description: 'The body is not `application/json`.' },
  422: { description: 'The `Idempotency-Key` was used for a different request.' },
  424: { description: 'The card-payment provider could not be reached or failed.', headers: retryAfter },
  429: { description: 'Over a limit.', headers: retryAfter },
  431: { description: 'The headers are larger than 16 KiB.' },
  500: { description: 'A fault of the service.' },
  503: { description: 'The service cannot reach its database, or is too busy.', headers: retryAfter },
};

/** Before these the caller is not known yet, so no budget is. */
const beforeBudget = new Set([401, 403, 405, 408, 431]);
const anyCall = [400, 401, 403, 405, 408, 429, 431, 500, 503];

type Kind = {
  schema: z.ZodType;
  /** What 200 says. */
  done: string;
  /** Recorded bodies by name. */
  examples: Record<string, { summary: string; value: unknown }>;
  /** Which failures to show. */
  failures: FailureName[];
};

function failed(status: number, failures: FailureName[], isChange: boolean): ZodOpenApiResponsesObject {
  const { description, headers } = meanings[status] ?? { description: '' };
  const all = {
    ...everywhere,
    ...(!beforeBudget.has(status) && budget),
    ...(isChange && [400, 404].includes(status) && replayed),
    ...headers,
  };
  const examples = failureExamplesAt(status, failures);
  return {
    [`${status}`]: {
      description,
      headers: all,
      content: { 'application/json': { schema: errorSchema, examples } },
    },
  };
}

function failureExamplesAt(status: number, failures: FailureName[]) {
  const recorded = failures.map((name) => [name, failureExamples[name]] as const);
  return Object.fromEntries(
    recorded
      .filter(([, { error }]) => error.code === status)
      .map(([name, value]) => [name, { summary: value.error.message, value }]),
  );
}

/** The answers of an operation that reads. */
export function readAnswers({ schema, done, examples, failures }: Kind): ZodOpenApiResponsesObject {
  const headers = { ...everywhere, ...budget, ...kept };
  return Object.assign(
    {
      '200': { description: done, headers, content: { 'application/json': { schema, examples } } },
      '304': { description: 'Not changed since `If-None-Match`: no body.', headers },
    },
    ...anyCall.map((status) => failed(status, failures, false)),
    { '400': { ...failed(400, failures, false)['400'], description: 'The request could not be read.' } },
  );
}

/**
 * The answers of an operation that changes something.
 * @param statuses what can go wrong with it, beyond what can with any
 */
export function changeAnswers(
  { schema, done, examples, failures }: Kind,
  statuses: number[],
): ZodOpenApiResponsesObject {
  const headers = { ...everywhere, ...budget, ...replayed };
  return Object.assign(
    { '200': { description: done, headers, content: { 'application/json': { schema, examples } } } },
    ...[...anyCall, ...statuses]
      .sort((one, other) => one - other)
      .map((status) => failed(status, failures, true)),
  );
}
