import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { LOOPBACK_ORIGIN } from './elements/browser/protocol.ts';

const BODY_BYTES_MAX = 16 * 1024;

export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/** @throws BodyTooLarge over 16 KiB; an Error if the client disconnects */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** @returns whether the request has no body, or one of this type */
export function hasType({ headers }: IncomingMessage, body: string, type: string): boolean {
  return body === '' || headers['content-type']?.split(';')[0]?.trim().toLowerCase() === type;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  send(response, status, `${JSON.stringify(body, null, 2)}\n`, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-cache, no-store',
    ...headers,
  });
}

export function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string>,
): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'X-Content-Type-Options': 'nosniff', ...headers });
  response.end(body);
}

/**
 * Whether a request may come from where it does: from a program, from the frames, or from one of the pages. The browser of
 * a developer can reach the sandbox, so any page that is open in it could fill it otherwise, also under a name that was
 * pointed here (DNS rebinding).
 */
export function isWelcome({ headers }: IncomingMessage, pageOrigins: string[]): boolean {
  const { host = '', origin } = headers;
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  const isOurName =
    isIP(name.replace(/^\[|\]$/g, '')) !== 0 ||
    (name !== '' && !name.includes('.')) ||
    pageOrigins.some((page) => new URL(page).hostname === name);
  const isOurPage =
    origin === undefined ||
    origin === `http://${host}` ||
    LOOPBACK_ORIGIN.test(origin) ||
    pageOrigins.includes(origin);
  return isOurName && isOurPage;
}

/** For a page whose origin was checked. Keys are in the requests, so credentials are not allowed. */
export function cors({ headers }: IncomingMessage): Record<string, string> {
  if (headers.origin === undefined) return {};
  return {
    'Access-Control-Allow-Origin': headers.origin,
    'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, Stripe-Version',
    'Access-Control-Expose-Headers': 'Request-Id, Stripe-Version, Idempotent-Replayed',
    'Access-Control-Max-Age': '300',
    Vary: 'Origin',
  };
}
