export type ErrorDetail = { param: string; message: string };

/** Why a call did not do what was asked. */
export class ScheduleError extends Error {
  override name = 'ScheduleError';
  /** The HTTP status; null when there was no answer: unreachable, or out of time. */
  readonly status: number | null;
  /** With a 400: the parameters at fault. */
  readonly details: ErrorDetail[];
  /** Name it when you ask the support team for help. */
  readonly requestId: string | null;
  /** Seconds until another try can help, where the service said so. */
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    facts: {
      status: number | null;
      details?: ErrorDetail[];
      requestId?: string | null;
      retryAfterSeconds?: number | null;
      cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}
