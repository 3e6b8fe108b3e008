import { log } from '#src/log.ts';
import type { ProviderRequest } from '#src/payments/trace.ts';
import { requestIdOf } from './request-id.ts';
import { type Answer, toResponse } from './response.ts';

type Noted = {
  operation: string;
  method: string;
  requestId: string;
  answer: Answer;
  /** When it came, by `performance.now()`. */
  startedAt: number;
  customerId?: number | undefined;
  eventId?: string;
  eventType?: string;
  providerRequests?: ProviderRequest[];
  cause?: unknown;
};

/** Writes the one line of the log that a request has. @returns how many milliseconds it took */
export function noteRequest(request: Noted): number {
  const { answer, providerRequests = [], cause, customerId, startedAt, ...named } = request;
  const elapsedMs = Math.round((performance.now() - startedAt) * 10) / 10;
  const line = {
    ...named,
    elapsedMs,
    status: answer.status,
    customerId,
    ...(providerRequests.length > 0 && { provider: providerRequests }),
    ...(answer.headers?.['Idempotent-Replayed'] && { replayed: true }),
    ...(cause !== undefined && { error: cause }),
  };
  const isFault = answer.status >= 500 && cause !== undefined;
  if (isFault) log().error(line, 'request');
  else if (answer.status === 424 || answer.status >= 500) log().warn(line, 'request');
  else log().info(line, 'request');
  return elapsedMs;
}

/** An answer that no operation gave, with its line in the log. */
export function answered(
  request: Request,
  operation: string,
  answer: Answer,
  startedAt = performance.now(),
  cause?: unknown,
): Response {
  const requestId = requestIdOf(request.headers);
  noteRequest({ operation, method: request.method, requestId, answer, startedAt, cause });
  return toResponse(answer, requestId, request.method === 'HEAD');
}
