import type { z } from 'zod';
import { readsAreBusy } from '#db/client.ts';
import { type ProviderRequest, tracingProvider } from '#src/payments/trace.ts';
import { authenticate } from './authenticate.ts';
import { parseBody, readJsonText } from './body.ts';
import { answeringOnce, idempotencyKeyOf } from './idempotency.ts';
import type { Principal } from './principal.ts';
import type { Include } from './principal-queries.ts';
import { HttpProblem, problems, toProblem } from './problems.ts';
import { requestIdOf } from './request-id.ts';
import { noteRequest } from './request-log.ts';
import { type Answer, problemAnswer, revalidated, toResponse } from './response.ts';
import { type CheckedBody, outputChecker } from './response-schema.ts';

export type Handler = (request: Request) => Promise<Response>;

type Operation<Body extends z.ZodType, Output extends z.ZodType> = {
  /** As the log and the reference name it. */
  name: string;
  /** What to read in the statement that authenticates. */
  include?: Include;
  /** The last segment of the path, where it names something. */
  target?: z.ZodType<string>;
  body?: Body;
  /** What an answer must be: a handler that returns anything else is a fault of ours. */
  output: Output;
  /** The answer may be kept by the caller and asked for again with `If-None-Match`. */
  isRevalidated?: boolean;
  run: (call: Call<z.infer<Body>>) => Promise<z.infer<Output>>;
};

type Call<Body> = { principal: Principal; body: Body; target: string; idempotencyKey: string | null };

type Check<Output extends z.ZodType> = ReturnType<typeof outputChecker<Output>>;
type Seen = { customerId?: number | undefined; providerRequests: ProviderRequest[]; cause?: unknown };

/** Said before any work is done, so that there is time for the requests that were taken on. */
const busyAnswer = problemAnswer(new HttpProblem('unavailable', { headers: { 'Retry-After': '1' } }));

/**
 * Makes a handler of an operation. A request is judged in the contract's order: limits and credentials, media type,
 * size, parameters, replay of an idempotency key, the operation.
 */
export function endpoint<Body extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Body, Output>,
): Handler {
  const check = outputChecker(operation.output);
  return async (request) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request.headers);
    const seen: Seen = { providerRequests: [] };
    const answer = readsAreBusy()
      ? busyAnswer
      : await tracingProvider(seen.providerRequests, () => answerOf(operation, check, request, seen));
    const elapsedMs = noteRequest({
      operation: operation.name,
      method: request.method,
      requestId,
      answer,
      startedAt,
      ...seen,
    });
    const timed = { ...answer, headers: { ...answer.headers, 'Server-Timing': `total;dur=${elapsedMs}` } };
    return toResponse(timed, requestId, request.method === 'HEAD');
  };
}

async function answerOf<Body extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Body, Output>,
  check: Check<Output>,
  request: Request,
  seen: Seen,
): Promise<Answer> {
  let budget: Record<string, string> = {};
  try {
    const { principal, headers } = await authenticate(request, operation.include ?? 'nothing', seen);
    budget = headers;
    const answer = await answerCaller(operation, check, request, principal, seen);
    return { ...answer, headers: { ...budget, ...answer.headers } };
  } catch (error) {
    const answer = failureOf(error, seen);
    return { ...answer, headers: { ...budget, ...answer.headers } };
  }
}

async function answerCaller<Body extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Body, Output>,
  check: Check<Output>,
  request: Request,
  principal: Principal,
  seen: Seen,
): Promise<Answer> {
  const text = operation.body ? await readJsonText(request) : '';
  const target = operation.target ? targetOf(request, operation.target) : '';
  const body = (operation.body ? parseBody(text, operation.body) : undefined) as z.infer<Body>;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const key = isRead ? null : idempotencyKeyOf(request.headers);
  const run = async (): Promise<Answer & Partial<CheckedBody>> => {
    try {
      return {
        status: 200,
        ...check(await operation.run({ principal, body, target, idempotencyKey: key })),
      };
    } catch (error) {
      return failureOf(error, seen);
    }
  };
  if (isRead) {
    const { etag, ...plain } = await run();
    const isKept = operation.isRevalidated && principal.via === 'keys';
    return isKept && etag ? revalidated(plain, etag, request.headers.get('if-none-match')) : plain;
  }
  if (key === null) return run();
  return answeringOnce(
    { customerId: principal.customerId, key, operation: operation.name, target, body: text },
    run,
  );
}

function failureOf(error: unknown, seen: Seen): Answer {
  const problem = toProblem(error);
  if (problems[problem.code].status >= 424) seen.cause = problem.cause ?? problem;
  return problemAnswer(problem);
}

function targetOf(request: Request, schema: z.ZodType<string>): string {
  const segment = new URL(request.url).pathname.split('/').at(-1) ?? '';
  const parsed = schema.safeParse(decoded(segment));
  if (!parsed.success) {
    const message = 'Must be the uuid or the integer id of a card.';
    throw new HttpProblem('invalid_input', { details: [{ param: 'uuid', message }] });
  }
  return parsed.data.toLowerCase();
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
