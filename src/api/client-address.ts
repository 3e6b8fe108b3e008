import { subscribe } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import type { ApiRequest } from './messages.ts';

/** The verified address of the client. The listener sets it and drops the caller's value. */
export function clientAddress(request: Pick<ApiRequest, 'headers'>): string {
  return request.headers.get('x-forwarded-for') || '127.0.0.1';
}

/**
 * The network for which failures are counted: an IPv4 address, or the /64 of an IPv6 address, because a host can choose
 * any address in it (RFC 4291, section 2.5.4; RFC 8981).
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`;
}

/**
 * Verifies the forwarding headers of every request to an HTTP server of this process, before any other listener runs:
 * in our host, in development, and under a plain `next start`. Called once per process.
 * @param hops the number of trusted proxies (`TRUST_PROXY`)
 * @param log gets one warning if `hops` is 0 and a proxy seems to be in front, because its clients then share limits
 */
export function trustProxies(hops: number, log: Pick<Logger, 'warn'>): void {
  let isWarningDue = hops === 0;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    const { headers, rawHeaders } = request;
    if (isWarningDue && headers['x-forwarded-for'] !== undefined) {
      isWarningDue = false;
      log.warn('X-Forwarded-For is ignored because TRUST_PROXY is 0.');
    }
    const resolved = resolveForwarded(headers, request.socket.remoteAddress, hops);
    const forwarding = Object.keys(headers).filter(isForwarding);
    for (const name of forwarding) delete headers[name];
    Object.assign(headers, resolved);
    if (forwarding.length > 0) dropForwarding(rawHeaders);
    rawHeaders.push(...Object.entries(resolved).flat());
  });
}

/**
 * The trustworthy forwarding headers: the client's address alone in `x-forwarded-for` and, behind trusted proxies, the
 * host and protocol they report. All others are dropped, because a caller can forge them.
 * @param headers as received
 * @param socketAddress the remote address of the connection
 * @param hops the number of trusted proxies; each appends the address of its caller to `x-forwarded-for`
 */
export function resolveForwarded(
  headers: IncomingHttpHeaders,
  socketAddress: string | undefined,
  hops: number,
): Record<string, string> {
  let address = normalAddress(socketAddress ?? '') ?? '127.0.0.1';
  if (hops === 0) return { 'x-forwarded-for': address };
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const trusted = forwarded.map((entry) => entry.trim()).slice(-hops);
  // From the nearest hop; a value that is not an address ends the chain, because no trusted proxy wrote it.
  for (const entry of trusted.reverse()) {
    const next = normalAddress(entry);
    if (!next) break;
    address = next;
  }
  const pairs = ['x-forwarded-host', 'x-forwarded-proto'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return { 'x-forwarded-for': address, ...Object.fromEntries(pairs) };
}

/** @param name in lower case */
function isForwarding(name: string): boolean {
  return name.startsWith('x-forwarded-') || name === 'forwarded' || name === 'x-real-ip';
}

/** Changed in place, so that the raw list does not contain dropped headers either. */
function dropForwarding(raw: string[]): void {
  const trusted = raw.flatMap((name, index) =>
    index % 2 === 0 && !isForwarding(name.toLowerCase()) ? [name, raw[index + 1] ?? ''] : [],
  );
  raw.splice(0, raw.length, ...trusted);
}

/**
 * The canonical form of an address: without port, brackets, or zone; IPv6 as RFC 5952 writes it; IPv4-mapped IPv6 as IPv4.
 * @returns undefined if the text is not an address
 */
function normalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const bare = /^\[([^\]]*)\](:\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  const [address = ''] = bare.split('%');
  // ipaddr.js also reads short forms such as `127.1`, which proxies do not write.
  return isIP(address) === 0 ? undefined : ipaddr.process(address).toString();
}
