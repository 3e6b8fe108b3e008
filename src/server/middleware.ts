import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import { context } from '@opentelemetry/api';
import compression from 'compression';
import { loggedPath, requestIdOf, writeLogLine } from '#src/api/request-log.ts';
import type { Services } from '#src/api/services.ts';
import { BodilessRequest } from './bodiless-request.ts';
import { isFile } from './file-paths.ts';

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

/** The status in the log, as in that of nginx, if the client disconnected before the response. */
const clientClosed = 499;

/** One log line per page, found by the ID in its `X-Request-Id`. Delete when Next can log each response. */
export function logPages(services: Services): Middleware {
  return (request, response, next) => {
    if (isFile(request.url ?? '/')) return next();
    const startedAt = performance.now();
    const path = loggedPath(request.url ?? '/');
    const address = request.headers['x-forwarded-for'];
    const onClose = () => {
      const { headersSent, statusCode } = response;
      const ownId = headersSent ? undefined : requestIdOf(new BodilessRequest(request, response).headers);
      const requestId = response.getHeader('x-request-id') ?? ownId;
      if (typeof requestId !== 'string') return;
      const status = headersSent ? statusCode : clientClosed;
      const method = request.method ?? '';
      const client = { path, address: typeof address === 'string' ? address : undefined };
      const outcome = { response: { status }, startedAt };
      writeLogLine(services, { operation: 'page', method, ...client, requestId, ...outcome });
    };
    response.once('close', context.bind(context.active(), onClose));
    next();
  };
}

/** Changes the HTML of a response, piece by piece. One with Content-Length stays as it is. */
export type HtmlRewriter = (response: ServerResponse) => (html: string) => string;

export function rewriteHtml(...rewriters: HtmlRewriter[]): Middleware {
  return (_request, response, next) => {
    const { write, end } = response;
    const rewrites = rewriters.map((rewriter) => rewriter(response));
    const rewritten = (chunk: unknown): unknown => {
      const isHtml = String(response.getHeader('content-type')).startsWith('text/html');
      const hasLength = response.getHeader('content-length') !== undefined;
      if (!isHtml || hasLength || !(typeof chunk === 'string' || chunk instanceof Uint8Array)) return chunk;
      // Bytes, because a character can be in two pieces.
      const html = Buffer.from(chunk).toString('latin1');
      return Buffer.from(
        rewrites.reduce((text, rewrite) => rewrite(text), html),
        'latin1',
      );
    };
    response.write = (...[chunk, ...rest]: unknown[]) =>
      Reflect.apply(write, response, [rewritten(chunk), ...rest]);
    response.end = (...[chunk, ...rest]: unknown[]) =>
      Reflect.apply(end, response, [rewritten(chunk), ...rest]);
    next();
  };
}

/** A window of 64 KB holds a page; the default one takes megabytes for each response. */
const brotli = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 16 },
};

/** Brotli or gzip, smaller than Next's own gzip and with less CPU time. Delete when Next offers Brotli. */
export const compress = compression({ brotli, filter: isCompressible });

/**
 * Next sets the headers of route handlers as arrays, which the library treats as not compressible. Delete when either
 * changes.
 */
function isCompressible(request: IncomingMessage, response: ServerResponse): boolean {
  const type = response.getHeader('content-type');
  if (Array.isArray(type)) response.setHeader('content-type', type.join());
  return compression.filter(request, response);
}
