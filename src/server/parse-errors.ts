import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpProblem } from '#src/api/problems.ts';
import { refuseUnreadable } from '#src/api/router.ts';
import type { ProblemCode } from '#src/errors.ts';
import type { Middleware } from './middleware.ts';

const codes: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Responds to requests that the HTTP parser rejects before any handler runs, in the format of the API: JSON, a request
 * ID, and a log line.
 * @param error from the `clientError` event
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
  // The client would take a body after the response to HEAD for the next response.
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
  socket.end(`${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
}

/** An HTTP/1.1 request without `Host` gets 400 (RFC 9112, section 3.2). */
export const requireHost: Middleware = async (request, response, next) => {
  if (request.headers.host !== undefined || request.httpVersion !== '1.1') return next();
  const refusal = refuseUnreadable();
  response.statusCode = refusal.status;
  response.setHeaders(refusal.headers).setHeader('Connection', 'close');
  return response.end(await refusal.text());
};

/** Whether a response has already started on the socket. Node checks the same field. */
function hasResponse(socket: Duplex & { _httpMessage?: { _headerSent?: boolean } }): boolean {
  return socket._httpMessage?._headerSent === true;
}
