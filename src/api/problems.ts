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
  if (isTransientDatabaseError(error)) {
    return new HttpProblem('unavailable', { cause: error });
  }
  return new HttpProblem('internal', { cause: error });
}

/**
 * Our own code for one that is busy, postgres.js's codes, the operating system's, and PostgreSQL's: a statement that took
 * too long, a serialization failure, a deadlock, a server that accepts no writes, and the classes 08 (connection), 53
 * (resources), and 57 (shutdown).
 */
const transientCodes =
  /^(DATABASE_BUSY|57014|40001|40P01|25006|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|08\w{3}|53\w{3}|57P\d{2})$/;

export function isTransientDatabaseError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, syscall, cause } = error as { code?: unknown; syscall?: unknown; cause?: unknown };
  if (transientCodes.test(String(code))) return true;
  // The socket file of a local server that is down, but no other missing file.
  if (syscall === 'connect') return true;
  if (error instanceof AggregateError && error.errors.some(isTransientDatabaseError)) return true;
  return isTransientDatabaseError(cause);
}
