import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HttpResponse } from '#src/api/messages.ts';
import { HttpProblem } from '#src/api/problems.ts';
import { refuseUnrouted } from '#src/api/router.ts';
import type { ProblemCode } from '#src/errors.ts';
import { BodilessRequest } from './bodiless-request.ts';

const codes: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** The response that the connection waits for. Node checks the same field. */
type WithResponse = { _httpMessage?: ServerResponse | null };

/**
 * Responds to requests that the HTTP parser rejects before any handler runs, in the format of the API: JSON, a request
 * ID, and a log line.
 * @param error from the `clientError` event
 */
export function refuseUnparsed(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Duplex & WithResponse,
): void {
  const pending = socket._httpMessage;
  if (error.code === 'ECONNRESET' || !socket.writable || pending?.headersSent) {
    socket.destroy();
    return;
  }
  // The client would take the refusal of a later request for the response to this one (RFC 9112, section 9.3.2).
  if (pending?.req.complete) {
    pending.shouldKeepAlive = false;
    return;
  }
  // The client would take a body after the response to HEAD for the next response.
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
  void endWith(socket, new HttpProblem(codes[error.code ?? ''] ?? 'request_unreadable'), isHead);
}

/** Refuses CONNECT, which only a proxy supports (RFC 9110, section 9.3.6). */
export function refuseConnect(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  void endWith(
    socket,
    new HttpProblem('method_not_allowed', { headers: { Allow: 'GET, HEAD, POST, DELETE' } }),
  );
}

/** Responds on a connection for which Node.js creates no `ServerResponse`, and closes it. */
async function endWith(socket: Duplex, problem: HttpProblem, isHead = false): Promise<void> {
  const { status, headers, body } = await refuseUnrouted(problem);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body ?? '')}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
}

/** Refuses a request before it is handled. The connection closes, because its body is not read. */
export async function refuse(response: ServerResponse, problem: HttpProblem): Promise<void> {
  const request = new BodilessRequest(response.req, response);
  const { headers, ...refusal } = await refuseUnrouted(problem, request);
  writeResponse(response, { ...refusal, headers: { ...headers, Connection: 'close' } });
}

export function writeResponse(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  if (body !== null) headers['Content-Length'] = String(Buffer.byteLength(body));
  response.writeHead(status, headers).end(body);
}
