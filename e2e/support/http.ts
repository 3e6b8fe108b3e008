/** Servers for tests, and requests without a browser. */
import { Agent, createServer, type RequestListener, request } from 'node:http';
import { connect } from 'node:net';
import type { Credentials } from '#tools/testing/factories.ts';
import { listen } from '#tools/testing/listen.ts';

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

/** What a page's form sends without JavaScript, such as the ID of its action. */
export function hiddenFieldsOf(html: string): Record<string, string> {
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g)];
  return Object.fromEntries(
    fields.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]),
  );
}

/**
 * Signs in as the form does without JavaScript.
 * @param url of the service, or of an instance that gets the form of another at `formUrl`
 * @returns the response, which redirects after a sign-in, and the session's `Cookie` header
 */
export async function postSignInForm(
  url: string,
  { apiKey, apiSecret }: Credentials,
  { headers, formUrl = url }: { headers: Record<string, string>; formUrl?: string },
): Promise<{ response: Response; cookie: string }> {
  const send = (to: string, init?: RequestInit) =>
    fetch(`${to}/sign-in`, { ...init, headers, redirect: 'manual', signal: AbortSignal.timeout(60_000) });
  const page = await send(formUrl);
  const body = new FormData();
  const fields = { ...hiddenFieldsOf(await page.text()), apiKey, apiSecret };
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const response = await send(url, { method: 'POST', body });
  return { response, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

export async function startServer(listener: RequestListener) {
  const server = createServer(listener);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { close, url: `http://127.0.0.1:${await listen(server)}` };
}

export type Sent = {
  method: string;
  /** Unchanged, where `fetch` would normalize it. */
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
};
export type RawResponse = { status: number; headers: Record<string, string>; text: string };

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends a request unchanged, even if it is invalid. */
export function sendRaw(baseUrl: string, { method, path, headers, body }: Sent): Promise<RawResponse> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const length = body && { 'Content-Length': String(body.length) };
    const sent = request(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(pairs), text });
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
