import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { ApiRequest } from '#src/api/messages.ts';
import { pathOf } from '#src/api/request-log.ts';
import { handleApiRequest, isApiPath, refuseUnreadable, respond } from '#src/api/router.ts';
import type { Middleware } from './middleware.ts';
import { writeResponse } from './parse-errors.ts';

/**
 * The API, bypassing Next's router. Delete when Next passes paths on as sent, and the benchmark's row of `next start` is as
 * fast.
 */
export function serveApi(): Middleware {
  // By default the adapter replaces the global Request and Response with its own, which it writes without creating a
  // stream first. Next is already loaded and keeps the originals.
  // Only unreadable requests reach the error handler, because the router turns failures into responses.
  const serveWithBody = getRequestListener(async (request) => handleApiRequest(request), {
    hostname: 'localhost',
    errorHandler: async () => {
      const { body, ...init } = await refuseUnreadable();
      return new Response(body, init);
    },
  });
  return (request, response, next) => {
    if (!isApiPath(pathOf(request.url ?? '/'))) return next();
    return hasBody(request) ? serveWithBody(request, response) : serveWithoutBody(request, response);
  };
}

/** RFC 9112, section 6. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Without the web's classes, which take longer than the rest of a read. */
async function serveWithoutBody(request: IncomingMessage, response: ServerResponse): Promise<void> {
  writeResponse(response, await respond(new BodilessRequest(request, response)));
}

class BodilessRequest implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly body = null;
  readonly headers: ApiRequest['headers'];
  readonly #response: ServerResponse;

  constructor({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse) {
    this.method = method;
    this.url = `http://localhost${url}`;
    this.headers = { get: (name) => headers[name]?.toString() ?? null };
    this.#response = response;
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    const controller = new AbortController();
    const response = this.#response;
    const abort = () => response.writableFinished || controller.abort();
    if (response.destroyed) abort();
    else response.once('close', abort);
    return controller.signal;
  }
}
