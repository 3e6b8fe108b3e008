import type { z } from 'zod';
import type { Origin } from '#src/audit.ts';
import type { ProblemCode } from '#src/errors.ts';
import type { ProviderRequest } from '#src/payments/trace.ts';
import type { ApiRequest } from './messages.ts';
import type { Include, Included, Principal } from './principal.ts';
import type { Services } from './services.ts';

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** A request that passed every check. */
type Input<Params, Query, Body, Reads extends Include = 'nothing'> = {
  services: Services;
  principal: Principal & Included[Reads];
  params: Parsed<Params>;
  query: Parsed<Query>;
  body: Parsed<Body>;
  idempotencyKey: string | null;
};

type Parts = { params?: Record<string, string>; query?: Record<string, string>; body?: unknown };

/** A message of `error.details`, and its cause. */
export type ParameterMessage = { message: string; cause: string };

type SuccessResponse<Schema extends z.ZodType = z.ZodType> = {
  status: 200 | 201 | 202;
  description: string;
  schema: Schema;
  examples?: Record<string, { summary: string; value: unknown }>;
};

/** An operation as the router, the pipeline, the OpenAPI document, the API docs, and the tests see it. */
export type Operation = {
  /** One name everywhere: operationId, request log, client method. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The canonical path, with `{name}` for each path parameter; `router.ts` has the other prefixes. */
  path: `/schedule/v1/${string}` | `/api/schedule/v1/${string}`;
  summary: string;
  description: string;
  tag: 'Customer' | 'Cards';
  reads?: Include;
  request?: { params?: z.ZodObject; query?: z.ZodObject; headers?: z.ZodObject; body?: z.ZodType };
  /** Of a request that succeeds. */
  response: SuccessResponse;
  /** In addition to those of the pipeline. */
  problems?: readonly ProblemCode[];
  docs: {
    /** The page under /docs. */
    slug: string;
    /** A valid request, for code samples and generated tests. */
    sample?: Parts;
    /** A request that gets 400, for the documented example. */
    invalid?: Parts;
    /** The messages about its parameters that are its own, for the errors page. */
    messages?: readonly ParameterMessage[];
  };
  /** Whether the same request can have another outcome later, so that its `Idempotency-Key` must not fix this one. */
  isProvisional?(output: unknown): boolean;
  run(input: Input<never, never, never>): Promise<unknown>;
};

type Definition<
  Params extends z.ZodObject | undefined,
  Query extends z.ZodObject | undefined,
  Body extends z.ZodType | undefined,
  Output extends z.ZodType,
  Reads extends Include,
> = Omit<Operation, 'request' | 'response' | 'reads' | 'run' | 'isProvisional'> & {
  reads?: Reads;
  request?: { params?: Params; query?: Query; headers?: z.ZodObject; body?: Body };
  response: SuccessResponse<Output>;
  isProvisional?(output: z.input<Output>): boolean;
  run(input: Input<Params, Query, Body, Reads>): Promise<z.input<Output>>;
};

export function defineOperation<
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Output extends z.ZodType = z.ZodType,
  Reads extends Include = 'nothing',
>(definition: Definition<Params, Query, Body, Output, Reads>): Operation {
  return definition as Operation;
}

/** @returns the path with its parameters filled and the query appended */
export function pathTo({ path }: { path: string }, { params = {}, query }: Parts = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return query ? `${filled}?${new URLSearchParams(query)}` : filled;
}

/** The caller for the log, authenticated or not. */
export type CallerLog = {
  customerId?: number | undefined;
  channel?: Origin['channel'];
  keyPrefix?: string | undefined;
};

/** One request on its way through the pipeline. */
export type RequestContext = {
  readonly services: Services;
  readonly request: ApiRequest;
  readonly requestId: string;
  /** From `performance.now()`. */
  readonly startedAt: number;
  readonly pathParams: Record<string, string>;
  /** Added to the response. */
  readonly responseHeaders: Record<string, string>;
  readonly log: CallerLog & {
    providerRequests: ProviderRequest[];
    /** For the customer. */
    isUnlisted?: boolean;
    /** Of a webhook. */
    eventId?: string;
    eventType?: string;
    cause?: unknown;
  };
  /** Set by `authenticate`. */
  principal?: Principal;
  /** Set by `readBody`, unchanged. */
  bodyText?: string;
  /** Set by `validate`. */
  input?: { params: unknown; query: unknown; body: unknown; idempotencyKey: string | null };
};

/** A response before it is sent. A replay stores it unchanged, unless it is provisional. `etag` is set for reads. */
export type ApiResponse = {
  status: number;
  body: string;
  headers?: Record<string, string>;
  etag?: string;
  /** The same body compressed, for a client that accepts it. */
  gzipBody?: Uint8Array<ArrayBuffer>;
  isProvisional?: boolean;
};

export type Next = (context: RequestContext) => Promise<ApiResponse>;
type Step = (context: RequestContext, next: Next) => Promise<ApiResponse>;
/** Created once per operation; null if it does not apply to the operation. */
export type Middleware = (operation: Operation) => Step | null;

export function isRead(operation: Operation): boolean {
  return operation.method === 'GET';
}
