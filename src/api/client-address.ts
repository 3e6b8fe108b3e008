import { subscribe } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';

const installedKey = Symbol.for('scheduling-service.client-address');
const shared = globalThis as { [installedKey]?: true };

/** The judged address of the client, put there by the listener; nothing a caller sends gets this far unjudged. */
export function clientAddress(request: Request): string {
  return request.headers.get('x-forwarded-for') || '127.0.0.1';
}

/**
 * Whom failures are counted for: an IPv4 address, or the /64 of an IPv6 address, in which a host is free to choose its
 * addresses (RFC 4291, section 2.5.4; RFC 8981).
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`;
}

/**
 * Judges every request that an HTTP server of this process receives, before anything else sees it: the same in our
 * host, in development and under a plain `next start`. Calling it again changes nothing.
 * @param hops how many proxies in front are ours (`TRUST_PROXY`)
 * @param log warned once if a proxy seems to be in front and `hops` is 0, where all of its clients share their limits
 */
export function judgeClientAddresses(hops: number, log: Pick<Logger, 'warn'>): void {
  if (shared[installedKey]) return;
  shared[installedKey] = true;
  let isWarningDue = hops === 0;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    const { headers, rawHeaders } = request;
    if (isWarningDue && headers['x-forwarded-for'] !== undefined) {
      isWarningDue = false;
      log.warn('X-Forwarded-For is ignored because TRUST_PROXY is 0.');
    }
    const judged = judgeForwarding(headers, request.socket.remoteAddress, hops);
    const forwarding = Object.keys(headers).filter(isForwarding);
    for (const name of forwarding) delete headers[name];
    Object.assign(headers, judged);
    if (forwarding.length > 0) dropForwarding(rawHeaders);
    rawHeaders.push(...Object.entries(judged).flat());
  });
}

/**
 * The forwarding headers as they may be believed: the client's address in `x-forwarded-for`, alone, and, where there
 * are proxies of ours, what they say of host and protocol. All other headers of the kind are a caller's say-so.
 * @param headers as received
 * @param socketAddress of the connection's other end
 * @param hops proxies of ours in front; each adds the address it was called from at the end of `x-forwarded-for`
 */
export function judgeForwarding(
  headers: IncomingHttpHeaders,
  socketAddress: string | undefined,
  hops: number,
): Record<string, string> {
  let address = normalAddress(socketAddress ?? '') ?? '127.0.0.1';
  if (hops === 0) return { 'x-forwarded-for': address };
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const believed = forwarded.map((entry) => entry.trim()).slice(-hops);
  // From the nearest on; what is not an address ends the chain, as nobody of ours wrote it.
  for (const entry of believed.reverse()) {
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

function isForwarding(name: string): boolean {
  return /^(x-forwarded-.*|forwarded|x-real-ip)$/i.test(name);
}

/** In place: who reads the raw list must not find what was dropped. */
function dropForwarding(raw: string[]): void {
  const trusted = raw.flatMap((name, index) =>
    index % 2 === 0 && !isForwarding(name) ? [name, raw[index + 1] ?? ''] : [],
  );
  raw.splice(0, raw.length, ...trusted);
}

/**
 * One form of an address: without port, brackets, or zone; IPv6 as RFC 5952 writes it; IPv4-mapped IPv6 as IPv4.
 * @returns undefined if the text is not an address
 */
function normalAddress(text: string): string | undefined {
  const bare = /^\[([^\]]*)\](:\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  const [address = ''] = bare.split('%');
  // ipaddr.js also reads short forms such as `127.1`, which proxies do not write.
  return isIP(address) === 0 ? undefined : ipaddr.process(address).toString();
}
