import { withOrigin } from '#src/audit.ts';
import { applyEvent } from '#src/cards/apply-event.ts';
import { type ProviderRequest, tracingProvider } from '#src/payments/trace.ts';
import { readText } from './body.ts';
import type { ApiRequest, HttpResponse } from './messages.ts';
import type { ApiResponse } from './operation.ts';
import { HttpProblem, toProblem } from './problems.ts';
import { requestClient, requestIdOf, writeLogLine } from './request-log.ts';
import { problemResponse, toResponse } from './response.ts';
import { services } from './services.ts';

const bodyBytesMax = 256 * 1024;

type EventLog = {
  eventId?: string;
  eventType?: string;
  providerRequests: ProviderRequest[];
  cause?: unknown;
};

/** Returns 200 only for events that were verified and applied. The provider delivers all others again. */
export const receiveStripeEvent = async (request: ApiRequest): Promise<HttpResponse> => {
  const startedAt = performance.now();
  const requestId = requestIdOf(request.headers);
  const eventLog: EventLog = { providerRequests: [] };
  const response = await tracingProvider(eventLog.providerRequests, () =>
    withOrigin({ channel: 'provider', requestId }, () => applyRequest(request, requestId, eventLog)),
  );
  writeLogLine(services().log, {
    operation: 'stripeWebhook',
    ...requestClient(request),
    method: request.method,
    requestId,
    response,
    startedAt,
    ...eventLog,
  });
  return toResponse(response, requestId, false);
};

async function applyRequest(
  request: ApiRequest,
  requestId: string,
  eventLog: EventLog,
): Promise<ApiResponse> {
  try {
    const body = await readText(request, bodyBytesMax);
    const event =
      body === null ? null : services().verifyEvent(body, request.headers.get('stripe-signature'));
    if (!event) throw new HttpProblem('signature_invalid');
    eventLog.eventId = event.id;
    eventLog.eventType = event.type;
    await applyEvent(services(), event);
    return { status: 200, body: '{"received":true}' };
  } catch (error) {
    const problem = toProblem(error);
    eventLog.cause = problem.cause ?? problem;
    return problemResponse(problem, { requestId, services: services() });
  }
}
