import { db } from '#db/client.ts';
import { applyEvent } from '#src/cards/apply-event.ts';
import { cardProvider } from '#src/payments/stripe.ts';
import { type ProviderRequest, tracingProvider } from '#src/payments/trace.ts';
import { verifiedEvent } from '#src/payments/webhook.ts';
import { readText } from './body.ts';
import type { Handler } from './endpoint.ts';
import { HttpProblem, toProblem } from './problems.ts';
import { requestIdOf } from './request-id.ts';
import { noteRequest } from './request-log.ts';
import { type Answer, problemAnswer, toResponse } from './response.ts';

const mostBytes = 256 * 1024;

type Seen = { eventId?: string; eventType?: string; providerRequests: ProviderRequest[]; cause?: unknown };

/** Takes the provider's events. 200 only for what was verified and applied: anything else is delivered again. */
export const receiveEvent: Handler = async (request) => {
  const startedAt = performance.now();
  const requestId = requestIdOf(request.headers);
  const seen: Seen = { providerRequests: [] };
  const answer = await tracingProvider(seen.providerRequests, () => answerOf(request, seen));
  noteRequest({
    operation: 'webhooks.stripe',
    method: request.method,
    requestId,
    answer,
    startedAt,
    ...seen,
  });
  return toResponse(answer, requestId, false);
};

async function answerOf(request: Request, seen: Seen): Promise<Answer> {
  try {
    const body = await readText(request, mostBytes);
    const event = body === null ? null : verifiedEvent(body, request.headers.get('stripe-signature'));
    if (!event) throw new HttpProblem('signature_invalid');
    seen.eventId = event.id;
    seen.eventType = event.type;
    await applyEvent({ db: db(), provider: cardProvider }, event);
    return { status: 200, body: '{"received":true}' };
  } catch (error) {
    const problem = toProblem(error);
    seen.cause = problem.cause ?? problem;
    return problemAnswer(problem);
  }
}
