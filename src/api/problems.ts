import { isTransient } from '#db/errors.ts';
import { type Detail, DomainError, type Problem, type ProblemCode, problems } from '#src/errors.ts';
import { ProviderError } from '#src/payments/provider.ts';

export class HttpProblem extends Error {
  override name = 'HttpProblem';
  readonly code: ProblemCode;
  readonly details: Detail[];
  /** Headers of the response. */
  readonly headers: Record<string, string>;

  constructor(
    code: ProblemCode,
    options: { message?: string; details?: Detail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(options.message ?? problems[code].message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    const { retryAfterSeconds }: Problem = problems[code];
    this.headers = {
      ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }),
      ...options.headers,
    };
  }

  /** Seconds until a retry can succeed, if known. */
  get retryAfterSeconds(): number | undefined {
    const text = this.headers['Retry-After'];
    return text === undefined ? undefined : Number(text);
  }
}

/** Converts any error into the problem to send; the cause is for the log. */
export function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof DomainError && error.code in problems) {
    return new HttpProblem(error.code as ProblemCode, { details: error.details, cause: error });
  }
  if (error instanceof ProviderError && error.kind === 'unavailable') {
    return new HttpProblem('provider_unavailable', { cause: error });
  }
  if (error instanceof ProviderError && error.kind === 'denied') {
    return new HttpProblem('unavailable', { headers: { 'Retry-After': '60' }, cause: error });
  }
  if (isTransient(error)) {
    return new HttpProblem('unavailable', { cause: error });
  }
  return new HttpProblem('internal', { cause: error });
}
