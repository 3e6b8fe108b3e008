import { subscribe } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const installedKey = Symbol.for('scheduling-service.client-address');
const shared = globalThis as { [installedKey]?: true };

/** The judged address of the client, put there by the listener; nothing a caller sends gets this far unjudged. */
export function clientAddress(request: Request): string {
  return request.headers.get('x-forwarded-for') || '127.0.0.1';
}

/**
 * Judges every request that an HTTP server of this process receives, before anything else sees it: the same in our
 * host, in development and under a plain `next start`. Calling it again changes nothing.
 * @param hops how many proxies in front are ours (`TRUST_PROXY`)
 */
export function judgeClientAddresses(hops: number): void {
  if (shared[installedKey]) return;
  shared[installedKey] = true;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    const { headers, rawHeaders } = request;
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
