import type { ProviderRequest } from '#payments/trace.ts';
import { log } from './log.ts';
import type { Answer } from './respond.ts';

type Request = {
  operation: string;
  method: string;
  requestId: string;
  answer: Answer;
  elapsedMs: number;
  customerId?: number | undefined;
  eventId?: string;
  eventType?: string;
  providerRequests: ProviderRequest[];
  cause?: unknown;
};

/** Writes the one line of the log that a request has. */
export function noteRequest({ answer, providerRequests, cause, customerId, ...request }: Request): void {
  const line = {
    ...request,
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
}
