import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { resolveForwarded } from '#src/api/client-address.ts';
import type { ApiRequest, HttpResponse } from '#src/api/messages.ts';
import { HttpProblem } from '#src/api/problems.ts';
import { refuseUnrouted } from '#src/api/router.ts';
import type { ProblemCode } from '#src/errors.ts';
import { BodilessRequest } from './bodiless-request.ts';

const codes: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** How long a refused client can still send before its connection is closed. A reset could discard the response. */
const lingerMs = 1_000;

type Connection = Duplex & {
  remoteAddress?: string;
  /** The response that the connection waits for. Node checks the same field. */
  _httpMessage?: ServerResponse | null;
};

/**
 * Responds to requests that the HTTP parser rejects before any handler runs, in the format of the API: JSON, a request
 * ID, and a log line.
 * @param error from the `clientError` event
 */
export function refuseUnparsed(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Connection,
): void {
  const pending = socket._httpMessage;
  if (error.code === 'ECONNRESET' || !isUnanswered(socket)) {
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
  const problem = new HttpProblem(codes[error.code ?? ''] ?? 'request_unreadable');
  void endWith(
    socket,
    problem,
    pending ? new BodilessRequest(pending.req, pending) : unparsed(socket),
    isHead,
  );
}

const isUnanswered = ({ writable, _httpMessage }: Connection) => writable && !_httpMessage?.headersSent;

/** Refuses CONNECT, which only a proxy supports (RFC 9110, section 9.3.6). */
export function refuseConnect({ method = '' }: IncomingMessage, socket: Connection): void {
  socket.on('error', () => socket.destroy());
  const problem = new HttpProblem('method_not_allowed', { headers: { Allow: 'GET, HEAD, POST, DELETE' } });
  void endWith(socket, problem, unparsed(socket, method));
}

/** A request of which at most the method is known. Its address is that of the nearest proxy. */
function unparsed({ remoteAddress }: Connection, method = ''): ApiRequest {
  const headers: Record<string, string> = resolveForwarded({}, remoteAddress, 0);
  return {
    method,
    url: '',
    headers: { get: (name) => headers[name] ?? null },
    body: null,
    signal: neverAborted,
  };
}

const neverAborted = new AbortController().signal;

/** Responds on a connection for which Node.js creates no `ServerResponse`, and closes it. */
async function endWith(
  socket: Connection,
  problem: HttpProblem,
  request: ApiRequest,
  isHead = false,
): Promise<void> {
  const { status, headers, body } = await refuseUnrouted(problem, request);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body ?? '')}`,
    'connection: close',
  ];
  // The handler of an incomplete request may have responded meanwhile.
  if (isUnanswered(socket)) socket.write(`${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
  socket.end();
  // Node.js keeps the other half open, and has checked its own timeouts for the last time.
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
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
