import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ProblemCode } from '#src/api/problems.ts';
import { HttpProblem } from '#src/api/problems.ts';
import { refuseUnreadable } from '#src/api/router.ts';

export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

const codes: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Answers what the HTTP parser refuses, which no handler ever sees, as the API answers: JSON, an id, a line in the log.
 * @param error of the listener's `clientError`
 */
export async function refuseUnparsed(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Duplex,
): Promise<void> {
  if (error.code === 'ECONNRESET' || !socket.writable || hasResponse(socket)) {
    socket.destroy();
    return;
  }
  const response = refuseUnreadable(new HttpProblem(codes[error.code ?? ''] ?? 'request_unreadable'));
  const body = await response.text();
  const lines = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`,
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  // A body after the answer to HEAD would be taken for the next answer.
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
  socket.end(`${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
}

/** Before a listener: HTTP/1.1 asks that a request without `Host` is refused, whatever it is for. */
export function withHost(listener: Listener): Listener {
  return async (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== '1.1')
      return listener(request, response);
    const refusal = refuseUnreadable();
    response.statusCode = refusal.status;
    response.setHeaders(refusal.headers).setHeader('Connection', 'close');
    return response.end(await refusal.text());
  };
}

/** Whether the start of another answer is on its way already: nothing may be written into it. Node looks here too. */
function hasResponse(socket: Duplex & { _httpMessage?: { _headerSent?: boolean } }): boolean {
  return socket._httpMessage?._headerSent === true;
}
