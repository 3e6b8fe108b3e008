export type ErrorDetail = { param: string; message: string };

export class ScheduleError extends Error {
  override name = 'ScheduleError';
  /** The HTTP status; null without a response, because the service is unreachable or timed out. */
  readonly status: number | null;
  /** The error, for your program: `card_not_found`, … Null if the service did not send it, such as a proxy's 502. */
  readonly type: string | null;
  /** The cause of the error and how to fix it. */
  readonly docUrl: string | null;
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
      type?: string | undefined;
      docUrl?: string | undefined;
      details?: ErrorDetail[];
      requestId?: string | null;
      retryAfterSeconds?: number | null;
      cause?: unknown;
    },
  ) {
    super(message, { cause: fields.cause });
    this.status = fields.status;
    this.type = fields.type ?? null;
    this.docUrl = fields.docUrl ?? null;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId ?? null;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
  }
}
