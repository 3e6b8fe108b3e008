import { withOrigin } from '#src/audit.ts';
import { problems } from '#src/errors.ts';
import { tracingProvider } from '#src/payments/trace.ts';
import { authenticate } from './authenticate.ts';
import { readBody, validate } from './body.ts';
import { clientAddress } from './client-address.ts';
import { replayIdempotent } from './idempotency.ts';
import {
  type ApiResponse,
  isRead,
  type Middleware,
  type Next,
  type Operation,
  type RequestContext,
} from './operation.ts';
import type { Principal } from './principal.ts';
import { toProblem } from './problems.ts';
import { countRequest } from './rate-limits.ts';
import { logRequest, logResponse } from './request-log.ts';
import { problemResponse } from './response.ts';
import { cacheResponses, revalidate, serialize } from './response-cache.ts';

/** Turns errors of the later steps into responses. */
const catchProblems: Middleware = () => responseOf;

async function responseOf(context: RequestContext, next: Next): Promise<ApiResponse> {
  try {
    return await next(context);
  } catch (error) {
    const problem = toProblem(error);
    const { status } = problems[problem.code];
    if (status === 424 || status >= 500) context.log.cause = problem.cause ?? problem;
    return problemResponse(problem, context);
  }
}

function principalOf({ principal }: RequestContext): Principal {
  if (!principal) throw new Error('Authentication comes first.');
  return principal;
}

/** 429 when the customer's quota for this minute is used up. Adds the RateLimit headers to every later response. */
const limitRate: Middleware = () => async (context, next) => {
  const { services, responseHeaders, log } = context;
  const { customerId } = principalOf(context);
  const { headers, refusal } = await countRequest(services.rateLimits, customerId);
  Object.assign(responseHeaders, headers);
  if (!refusal) return next(context);
  // One per minute is listed, because nothing limits their number.
  const { listedRefusals } = services.rateLimits;
  log.isUnlisted = listedRefusals.has(customerId);
  if (log.channel === 'api' && !log.isUnlisted) listedRefusals.set(customerId, true);
  throw refusal;
};

/** For the audit and the log line. Reads change nothing, and never call the payment provider. */
const noteOrigin: Middleware = (operation) =>
  isRead(operation)
    ? null
    : (context, next) => {
        const { request, requestId, principal, log } = context;
        const channel = principal?.via === 'session' ? 'dashboard' : 'api';
        return withOrigin({ channel, requestId, address: clientAddress(request) }, () =>
          tracingProvider(log.providerRequests, () => next(context)),
        );
      };

/** 500 for a response that does not match its schema. */
function runOperation(operation: Operation): Next {
  const { status, schema } = operation.response;
  return async ({ services, principal, input }) => {
    const output = await operation.run({ services, principal, ...input } as never);
    const isProvisional = operation.isProvisional?.(output) ?? false;
    return { status, ...serialize(schema, output), isProvisional };
  };
}

/** Writes can wait for a lock of their customer, and those of others must go on. */
const shareConnections: Middleware = (operation) => {
  if (isRead(operation)) return null;
  return (context, next) => {
    const { customerId } = principalOf(context);
    return context.services.writingCustomer.run(customerId, () => next(context));
  };
};

/**
 * The steps of a request before `runOperation`, in the order that docs/api-contract.md promises. The router has matched the
 * path and the method before (404, 405). The inner `catchProblems` turns an operation's failures into responses that can be
 * replayed.
 */
const pipeline: readonly Middleware[] = [
  logRequest,
  catchProblems,
  authenticate,
  limitRate,
  readBody,
  validate,
  shareConnections,
  replayIdempotent,
  revalidate,
  cacheResponses,
  noteOrigin,
  catchProblems,
];

/** @returns the pipeline of one operation, without the steps that do not apply to it */
export function handlerOf(operation: Operation): Next {
  return pipeline.reduceRight<Next>((next, middleware) => {
    const step = middleware(operation);
    return step ? (context) => step(context, next) : next;
  }, runOperation(operation));
}

/** @returns what responds to the requests that no operation does, and logs them */
export function endpoint(name: string, respond: Next): Next {
  return async (context) => {
    const response = await responseOf(context, respond);
    logResponse(name, context, response);
    return response;
  };
}
