/** The responses of an operation as the OpenAPI document lists them: statuses, headers, bodies, and examples. */
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import { type Detail, type Problem, type ProblemCode, problems } from '#src/errors.ts';
import { parse } from './body.ts';
import { isRead, type Operation } from './operation.ts';
import { HttpProblem } from './problems.ts';
import { type ErrorBody, type ErrorContext, errorSchema, problemResponse } from './response.ts';

type Header = {
  description: string;
  required: boolean;
  schema: { type: 'string' | 'integer' };
  example: string | number;
};
type Headers = Record<string, Header>;

/** Of the documented examples. */
export const exampleContext: ErrorContext = {
  requestId: '7f0c5d1e-3d0f-4c39-9a43-3f1f5b1d7c11',
  services: { settings: { publicUrl: 'https://schedule.example.com' } },
};

/** @returns the response that has this problem, as the API documents it */
export function problemExample(code: ProblemCode, details: Detail[] = []): ErrorBody {
  return JSON.parse(problemResponse(new HttpProblem(code, { details }), exampleContext).body);
}

export const exampleETag = '"Jm5Q2iAkgkmx5yXq3hO1sVbN7cE"';

/** The type of the example is the type of the header. */
function header(description: string, example: string | number, required = true): Header {
  return {
    description,
    required,
    schema: { type: typeof example === 'number' ? 'integer' : 'string' },
    example,
  };
}

const commonHeaders: Headers = {
  'X-Request-Id': header(
    'The ID of this request in our logs. It is your own ID if you sent a valid one.',
    exampleContext.requestId,
  ),
  'Cache-Control': header(
    '`private, no-cache` for GET requests with an API key, otherwise `no-store`.',
    'no-store',
  ),
  'Server-Timing': header(
    '`total;dur=` followed by the milliseconds spent on the request.',
    'total;dur=4.2',
    false,
  ),
};
const rateLimitHeaders: Headers = {
  'RateLimit-Policy': header('The rate limit: `q` requests in `w` seconds.', '"requests";q=600;w=60', false),
  RateLimit: header(
    'Requests left (`r`) and seconds until the limit resets (`t`).',
    '"requests";r=594;t=41',
    false,
  ),
};
const replayHeaders: Headers = {
  'Idempotent-Replayed': header(
    '`true` when this is the stored response to an earlier request.',
    'true',
    false,
  ),
};
const retryHeaders: Headers = { 'Retry-After': header('Seconds until a retry can succeed.', 2) };
const cacheHeaders: Headers = {
  ETag: header('For `If-None-Match`. Sent for requests with an API key.', exampleETag, false),
  Vary: header(
    'The headers that the response depends on. Sent for requests with an API key.',
    'X-AUTH-APIKEY, X-AUTH-APISECRET, Cookie',
    false,
  ),
};

/** The description and the specific headers of each failure status. */
const failureStatuses: Record<number, { description: string; headers?: Headers }> = {
  400: { description: 'A parameter is missing or invalid, or the request could not be read.' },
  401: {
    description: 'One of the two headers is missing or empty.',
    headers: {
      'WWW-Authenticate': header(
        'The two required headers.',
        'ApiKey realm="schedule", headers="X-AUTH-APIKEY X-AUTH-APISECRET"',
      ),
    },
  },
  403: {
    description:
      'The key is unknown, the secret is wrong, the account is disabled, or the request is from another site.',
  },
  404: { description: 'The resource does not exist or is not yours.' },
  405: {
    description: 'The method is not allowed for this endpoint.',
    headers: { Allow: header('The allowed methods.', 'GET, HEAD, OPTIONS') },
  },
  408: { description: 'The request took too long to arrive.' },
  409: {
    description: 'Another request with the same token or `Idempotency-Key` is in progress.',
    headers: retryHeaders,
  },
  413: { description: 'The body is larger than 16 KiB.' },
  415: { description: 'The body is not `application/json`.' },
  421: { description: 'The requested host is not served here.' },
  422: { description: 'The `Idempotency-Key` was used for a different request.' },
  424: { description: 'The payment provider could not be reached or failed.', headers: retryHeaders },
  429: { description: 'A rate limit was exceeded.', headers: retryHeaders },
  431: { description: 'The headers are larger than 16 KiB.' },
  500: { description: 'Something went wrong on our side.' },
  503: {
    description:
      'The service is overloaded, its database can’t be reached, or the payment provider rejects its account.',
    headers: retryHeaders,
  },
};

/** Sent before the customer is known, so without rate limit headers. */
const beforeRateLimit = new Set([401, 403, 405, 408, 421, 431]);

/** The problems of the pipeline and of the operation. */
export function problemsOf(operation: Operation): ProblemCode[] {
  const { body, params, query } = operation.request ?? {};
  const applies = {
    all: true,
    'with parameters': Boolean(body ?? params ?? query),
    'with a body': Boolean(body),
    writes: !isRead(operation),
  };
  const codes = Object.keys(problems) as ProblemCode[];
  return codes.filter((code) => {
    const { operations }: Problem = problems[code];
    return operations ? applies[operations] : operation.problems?.includes(code);
  });
}

export function responsesOf(operation: Operation): ZodOpenApiResponsesObject {
  const { status, description, schema, examples = {} } = operation.response;
  const success = {
    ...commonHeaders,
    ...rateLimitHeaders,
    ...(isRead(operation) ? cacheHeaders : replayHeaders),
  };
  const codes = problemsOf(operation);
  const statuses = [...new Set(codes.map((code) => problems[code].status))];
  return {
    [status]: {
      description,
      headers: success,
      content: { 'application/json': { schema, examples } },
    },
    ...(isRead(operation) && {
      304: {
        description: 'The resource has not changed since `If-None-Match`. There is no body.',
        headers: success,
      },
    }),
    ...Object.fromEntries(statuses.map((failed) => [failed, failureOf(operation, failed, codes)])),
  };
}

function failureOf(operation: Operation, status: number, codes: ProblemCode[]) {
  const ofStatus = codes.filter((code) => problems[code].status === status);
  const ownMessages = ofStatus.map((code) => problems[code].message).join(' ');
  const { description, headers } = failureStatuses[status] ?? { description: ownMessages };
  const isReplayable = !isRead(operation) && (status === 400 || status === 404);
  const examples = ofStatus.map((code) => [
    code,
    { summary: problems[code].message, value: exampleOf(operation, code) },
  ]);
  return {
    description,
    headers: {
      ...commonHeaders,
      ...(!beforeRateLimit.has(status) && rateLimitHeaders),
      ...(isReplayable && replayHeaders),
      ...headers,
    },
    content: { 'application/json': { schema: errorSchema, examples: Object.fromEntries(examples) } },
  };
}

/** Invalid input is shown with the operation's own parameters. */
export function exampleOf({ request = {}, docs }: Operation, code: ProblemCode): ErrorBody {
  if (code !== 'invalid_input') return problemExample(code);
  try {
    if (request.params) parse(request.params, docs.invalid?.params ?? docs.sample?.params ?? {});
    if (request.query) parse(request.query, docs.invalid?.query ?? {});
    if (request.body) parse(request.body, docs.invalid?.body);
  } catch (error) {
    if (error instanceof HttpProblem) return problemExample(code, error.details);
    throw error;
  }
  throw new Error('docs.invalid of an operation with parameters must be a request that is refused.');
}
