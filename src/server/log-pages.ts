import { writeLogLine } from '#src/api/request-log.ts';
import type { Services } from '#src/api/services.ts';
import type { Listener } from './parse-errors.ts';

/** Before pages: the id that an answer of theirs carries finds its line in the log. */
export function logPages(log: Services['log'], pages: Listener): Listener {
  return (request, response) => {
    const startedAt = performance.now();
    response.once('finish', () => {
      const requestId = response.getHeader('x-request-id');
      if (typeof requestId !== 'string') return;
      const { statusCode: status } = response;
      writeLogLine(log, {
        operation: 'page',
        method: request.method ?? '',
        requestId,
        response: { status },
        startedAt,
      });
    });
    return pages(request, response);
  };
}
