export type ErrorDetail = { param: string; message: string };

type ErrorFields = {
  status?: number | null;
  type?: string | undefined;
  docUrl?: string | undefined;
  details?: ErrorDetail[] | undefined;
  requestId?: string | null;
  idempotencyKey?: string | null;
  retryAfterSeconds?: number | null;
  cause?: unknown;
};

export class ScheduleError extends Error {
  override name = 'ScheduleError';
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** The error, for your program: `card_not_found`, … Null if the service did not send it, such as a proxy's 502. */
  readonly type: string | null;
  /** The cause of the error and how to fix it. */
  readonly docUrl: string | null;
  /** For a 400: the invalid parameters. */
  readonly details: ErrorDetail[];
  /** Include it when you contact support. */
  readonly requestId: string | null;
  /** Call again with this key to continue, because the operation might have succeeded. Null for reads. */
  readonly idempotencyKey: string | null;
  /** Seconds until a retry can succeed, if the service sent `Retry-After`. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, fields: ErrorFields = {}) {
    super(message, { cause: fields.cause });
    this.status = fields.status ?? null;
    this.type = fields.type ?? null;
    this.docUrl = fields.docUrl ?? null;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId ?? null;
    this.idempotencyKey = fields.idempotencyKey ?? null;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
  }
}

/** 400, 404 (a path), 405, 408, 413, 415, 422, and 431: the request has to change. `details` names invalid parameters. */
export class InvalidRequestError extends ScheduleError {
  override name = 'InvalidRequestError';
}
/** 401 and 403: the key, the secret, or the account. */
export class AuthenticationError extends ScheduleError {
  override name = 'AuthenticationError';
}
/** 404 with the type `card_not_found`: the card is gone, or never existed. */
export class NotFoundError extends ScheduleError {
  override name = 'NotFoundError';
}
/** 409: the same token or idempotency key is still being processed. */
export class ConflictError extends ScheduleError {
  override name = 'ConflictError';
}
/** 424: the payment provider could not be reached or failed. */
export class ProviderError extends ScheduleError {
  override name = 'ProviderError';
}
/** 429. `type` says which limit. */
export class RateLimitError extends ScheduleError {
  override name = 'RateLimitError';
}
/** 5xx, or a response that the service did not send, such as a proxy's page. */
export class ServerError extends ScheduleError {
  override name = 'ServerError';
}
/** No response: the service is unreachable, or the timeout is over. */
export class ConnectionError extends ScheduleError {
  override name = 'ConnectionError';
}
/** An option is missing or invalid, or `baseUrl` redirects. Not retried. */
export class ConfigurationError extends ScheduleError {
  override name = 'ConfigurationError';
}

const classes: Record<number, typeof ScheduleError> = {
  401: AuthenticationError,
  403: AuthenticationError,
  409: ConflictError,
  424: ProviderError,
  429: RateLimitError,
};

/** @returns an error of the status's class */
export function errorOf(message: string, fields: ErrorFields & { status: number }): ScheduleError {
  const { status, type } = fields;
  if (status === 404) {
    // Another type means a wrong path. Without one, a proxy has responded.
    if (type === 'card_not_found') return new NotFoundError(message, fields);
    return new (type ? InvalidRequestError : ServerError)(message, fields);
  }
  const isInvalid = status >= 400 && status < 500;
  return new (classes[status] ?? (isInvalid ? InvalidRequestError : ServerError))(message, fields);
}
