import { connect } from 'node:net';

/** The time within which a complete request gets its response. */
const quietTimeoutMs = 1_000;

/**
 * Sends bytes as they are.
 * @param isWhole ends our side when nothing comes back, so that the server does not wait for more
 * @returns everything that comes back until the connection closes
 */
export function sendBytes(
  baseURL: string | undefined,
  bytes: string,
  { isWhole = false } = {},
): Promise<string> {
  const { hostname, port } = new URL(baseURL ?? '');
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () =>
      socket.write(bytes, 'latin1'),
    );
    if (isWhole) socket.setTimeout(quietTimeoutMs, () => socket.end());
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    // A server may reset the connection after its response, because it did not read the rest of the request.
    socket.once('error', (error) => (text === '' && !isWhole ? reject(error) : resolve(text)));
    socket.once('end', () => socket.end());
    socket.once('close', () => resolve(text));
  });
}
