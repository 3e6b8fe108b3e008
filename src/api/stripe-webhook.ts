import { withOrigin } from '#src/audit.ts';
import { applyEvent } from '#src/cards/apply-event.ts';
import { tracingProvider } from '#src/payments/trace.ts';
import { readText } from './body.ts';
import type { ApiResponse, Next, RequestContext } from './operation.ts';
import { HttpProblem } from './problems.ts';

const bodyBytesMax = 256 * 1024;

/** Returns 200 only for events that were verified and applied. The provider delivers all others again. */
export const receiveStripeEvent: Next = (context) => {
  const { log, requestId } = context;
  return tracingProvider(log.providerRequests, () =>
    withOrigin({ channel: 'provider', requestId }, () => applyRequest(context)),
  );
};

async function applyRequest({ services, request, log }: RequestContext): Promise<ApiResponse> {
  try {
    const body = await readText(request, bodyBytesMax);
    const event = services.verifyEvent(body, request.headers.get('stripe-signature'));
    if (!event) throw new HttpProblem('signature_invalid');
    log.eventId = event.id;
    log.eventType = event.type;
    await applyEvent(services, event);
    return { status: 200, body: '{"received":true}' };
  } catch (error) {
    log.cause = error;
    throw error;
  }
}
