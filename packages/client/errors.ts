export type ErrorDetail = { param: string; message: string };

export class ScheduleError extends Error {
  override name = 'ScheduleError';
  /** The HTTP status; null without a response, because the service is unreachable or timed out. */
  readonly status: number | null;
  /** For a 400: the invalid parameters. */
  readonly details: ErrorDetail[];
  /** Include it when you contact support. */
  readonly requestId: string | null;
  /** Seconds until a retry can succeed, if the service sent `Retry-After`. */
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    fields: {
      status: number | null;
      details?: ErrorDetail[];
      requestId?: string | null;
      retryAfterSeconds?: number | null;
      cause?: unknown;
    },
  ) {
    super(message, { cause: fields.cause });
    this.status = fields.status;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId ?? null;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
  }
}
