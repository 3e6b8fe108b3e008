import { writeLogLine } from '#src/api/request-log.ts';
import type { Services } from '#src/api/services.ts';
import type { Middleware } from './middleware.ts';

/** One log line per page, found by the ID in its `X-Request-Id`. */
export function logPages(log: Services['log']): Middleware {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('finish', () => {
      const requestId = response.getHeader('x-request-id');
      if (typeof requestId !== 'string') return;
      const { statusCode: status } = response;
      const method = request.method ?? '';
      writeLogLine(log, { operation: 'page', method, requestId, response: { status }, startedAt });
    });
    next();
  };
}
