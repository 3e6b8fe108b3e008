import { db } from '#db/client.ts';
import { applyEvent } from '#domain/cards/apply-event.ts';
import { cardProvider } from '#payments/stripe.ts';
import { verifiedEvent } from '#payments/webhook.ts';
import type { Handler } from './endpoint.ts';
import { log } from './log.ts';
import { HttpProblem, toProblem } from './problem.ts';
import { requestIdOf } from './request-id.ts';
import { problemAnswer, toResponse } from './respond.ts';

const mostBytes = 256 * 1024;

/** Takes the provider's events. 200 only for what was verified and applied: anything else is delivered again. */
export const receiveEvent: Handler = async (request) => {
  const requestId = requestIdOf(request.headers);
  try {
    const body = await request.text();
    const event =
      body.length <= mostBytes ? verifiedEvent(body, request.headers.get('stripe-signature')) : null;
    if (!event) throw new HttpProblem('signature_invalid');
    await applyEvent({ db: db(), provider: cardProvider }, event);
    log().info(
      { requestId, operation: 'webhooks.stripe', status: 200, eventId: event.id, eventType: event.type },
      'request',
    );
    return toResponse({ status: 200, body: '{"received":true}' }, requestId, false);
  } catch (error) {
    const problem = toProblem(error);
    const answer = problemAnswer(problem);
    const line = {
      requestId,
      operation: 'webhooks.stripe',
      status: answer.status,
      error: problem.cause ?? problem,
    };
    log().warn(line, 'request');
    return toResponse(answer, requestId, false);
  }
};
