import { writeLogLine } from '#src/api/request-log.ts';
import type { Listener } from './parse-errors.ts';

/** Before pages: the id that an answer of theirs carries finds its line in the log. */
export function noted(pages: Listener): Listener {
  return (request, response) => {
    const startedAt = performance.now();
    response.once('finish', () => {
      const requestId = response.getHeader('x-request-id');
      if (typeof requestId !== 'string') return;
      const { statusCode: status } = response;
      writeLogLine({
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
