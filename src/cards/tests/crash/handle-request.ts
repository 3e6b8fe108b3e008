import type { RequestHandler } from '#src/api/router.ts';
import { handleApiRequest } from '#src/api/router.ts';
import { services } from '#src/api/services.ts';
import { completeCards } from '#src/cards/complete-cards.ts';

export const completePath = '/complete';

/** The API, and a path that runs the completer once. */
export const handleRequest: RequestHandler = async (request) => {
  if (new URL(request.url).pathname !== completePath) return handleApiRequest(request);
  await completeCards(services());
  return Response.json({});
};
