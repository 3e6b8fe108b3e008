import type { IncomingMessage, ServerResponse } from 'node:http';

export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;
/** Responds, or calls `next`. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown;

/** @returns a listener that runs the middleware in order, then `last` if none has responded */
export function compose(middleware: Middleware[], last: Listener): Listener {
  return middleware.reduceRight<Listener>(
    (next, step) => (request, response) => step(request, response, () => void next(request, response)),
    last,
  );
}
