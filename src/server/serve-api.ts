import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { ApiRequest, HttpResponse } from '#src/api/messages.ts';
import { HttpProblem } from '#src/api/problems.ts';
import { pathOf } from '#src/api/request-log.ts';
import { isApiPath, respond } from '#src/api/router.ts';
import { BodilessRequest } from './bodiless-request.ts';
import type { Middleware } from './middleware.ts';
import { refuse, writeResponse } from './parse-errors.ts';

/**
 * The API, bypassing Next's router. Delete when Next passes paths on as sent, and the benchmark's row of `next start` is as
 * fast.
 */
export function serveApi(): Middleware {
  // By default the adapter replaces the global Request and Response with its own, which it writes without creating a
  // stream first. This must be before the first request, because pages do not take another class for a Response.
  const serveReadable = getRequestListener(
    async (request, { incoming }) => webResponse(await respond(asSent(request, incoming.url))),
    { hostname: 'localhost', errorHandler: () => {} },
  );
  const serveWithBody = async (request: IncomingMessage, response: ServerResponse) => {
    await serveReadable(request, response);
    // Only for an unreadable request, because the router turns failures into responses.
    if (!response.headersSent && !response.destroyed)
      await refuse(response, new HttpProblem('request_unreadable'));
  };
  return (request, response, next) => {
    if (!isApiPath(pathOf(request.url ?? '/'))) return next();
    return hasBody(request) ? serveWithBody(request, response) : serveWithoutBody(request, response);
  };
}

/** With the URL as it was sent, because the adapter resolves `..`. */
const asSent = (request: Request, url = '/'): ApiRequest => ({
  method: request.method,
  url: `http://localhost${url}`,
  headers: request.headers,
  get body() {
    return request.body;
  },
  get signal() {
    return request.signal;
  },
});

const webResponse = ({ body, ...init }: HttpResponse) => new Response(body, init);

/** RFC 9112, section 6. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Without the web's classes, which take longer than the rest of a read. */
async function serveWithoutBody(request: IncomingMessage, response: ServerResponse): Promise<void> {
  writeTogether(response, await respond(new BodilessRequest(request, response)));
}

const unwritten: Parameters<typeof writeResponse>[] = [];

/** Writes the responses of a turn of the event loop at its end, so that a client that waits for several wakes up once. */
function writeTogether(...written: Parameters<typeof writeResponse>): void {
  if (unwritten.push(written) === 1) setImmediate(writeAll);
}

function writeAll(): void {
  for (const written of unwritten.splice(0)) writeResponse(...written);
}
