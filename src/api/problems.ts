/**
 * The status and the public message of every error code. Messages do not disclose internals and do not repeat the
 * request.
 */
import { type Detail, DomainError } from '#src/errors.ts';
import { ProviderError } from '#src/payments/provider.ts';

export const problems = {
  invalid_input: { status: 400, message: 'One or more parameters are missing or invalid.' },
  request_unreadable: { status: 400, message: 'The request could not be read.' },
  malformed_json: { status: 400, message: 'The request body is not valid JSON.' },
  card_number_in_request: {
    status: 400,
    message: 'Card numbers are not accepted. Send a token created by the payment provider.',
  },
  token_invalid: {
    status: 400,
    message: 'The token is unknown or was already used. Create a new token and try again.',
  },
  idempotency_key_invalid: {
    status: 400,
    message: 'The Idempotency-Key must be 1 to 255 printable ASCII characters.',
  },
  signature_invalid: { status: 400, message: 'The signature is missing, invalid, or too old.' },
  authentication_required: { status: 401, message: 'Authentication required.' },
  key_unknown: { status: 403, message: 'Username could not be found.' },
  secret_invalid: { status: 403, message: 'Invalid credentials.' },
  account_disabled: { status: 403, message: 'Account is disabled.' },
  cross_site: { status: 403, message: 'Requests from other sites are not accepted.' },
  not_found: { status: 404, message: 'No endpoint matches this URL.' },
  card_not_found: { status: 404, message: 'Payment method could not be found.' },
  method_not_allowed: { status: 405, message: 'This endpoint does not allow this method.' },
  request_timeout: { status: 408, message: 'The request took too long to arrive.' },
  card_in_flight: {
    status: 409,
    message: 'This token is being processed by another request. Try again in a few seconds.',
  },
  idempotency_in_flight: {
    status: 409,
    message: 'A request with this Idempotency-Key is still being processed. Try again in a few seconds.',
  },
  body_too_large: { status: 413, message: 'The request body is larger than 16 KiB.' },
  unsupported_media_type: { status: 415, message: 'The request body must be application/json.' },
  idempotency_mismatch: {
    status: 422,
    message: 'This Idempotency-Key was already used for a different request.',
  },
  provider_unavailable: {
    status: 424,
    message: 'The payment provider could not be reached or failed. Try again with the same token.',
  },
  too_many_requests: { status: 429, message: 'Too many requests. Try again later.' },
  too_many_failures: { status: 429, message: 'Too many failed authentications. Try again later.' },
  too_many_declines: { status: 429, message: 'Too many declined cards. Try again later.' },
  headers_too_large: { status: 431, message: 'The request headers are larger than 16 KiB.' },
  internal: {
    status: 500,
    message: 'Something went wrong on our side. Try again. If the problem persists, contact support.',
  },
  unavailable: { status: 503, message: 'The service is temporarily unavailable. Try again shortly.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ProblemCode = keyof typeof problems;

export class HttpProblem extends Error {
  override name = 'HttpProblem';
  readonly code: ProblemCode;
  readonly details: Detail[];
  /** Headers of the response. */
  readonly headers: Record<string, string>;

  constructor(
    code: ProblemCode,
    options: { details?: Detail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(problems[code].message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
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
  if (isDatabaseGone(error)) {
    return new HttpProblem('unavailable', { headers: { 'Retry-After': '1' }, cause: error });
  }
  return new HttpProblem('internal', { cause: error });
}

/** Our own code for one that is busy, postgres.js's codes, the operating system's, and PostgreSQL's: a statement that took too long, a serialization failure, a deadlock, a server that accepts no writes, classes 08 (connection), 53 (resources) and 57 (shutdown). */
const goneCodes =
  /^(DATABASE_BUSY|57014|40001|40P01|25006|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|08\w{3}|53\w{3}|57P\d{2})$/;

function isDatabaseGone(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && typeof error.code === 'string' && goneCodes.test(error.code)) return true;
  if (error instanceof AggregateError && error.errors.some(isDatabaseGone)) return true;
  return 'cause' in error && isDatabaseGone(error.cause);
}
