import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { listen } from '#tools/testing/listen.ts';
import { clientAddress, networkOf, resolveForwarded, trustProxies } from './client-address.ts';

const address = (forwarded: string | undefined, socket: string | undefined, hops: number) =>
  resolveForwarded(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }, socket, hops)[
    'x-forwarded-for'
  ];

describe('client address', () => {
  it.each([
    ['no trusted proxy: the header is ignored', '6.6.6.6', '10.0.0.1', 0, '10.0.0.1'],
    ['one trusted proxy', '6.6.6.6', '10.0.0.1', 1, '6.6.6.6'],
    ['one trusted proxy: only the address it added', '1.1.1.1, 6.6.6.6', '10.0.0.1', 1, '6.6.6.6'],
    ['two trusted proxies', '1.1.1.1, 6.6.6.6, 10.0.0.2', '10.0.0.1', 2, '6.6.6.6'],
    ['fewer entries than proxies', '6.6.6.6', '10.0.0.1', 3, '6.6.6.6'],
    ['a proxy that adds nothing', undefined, '10.0.0.1', 1, '10.0.0.1'],
    ['an invalid entry', '1.1.1.1, <script>', '10.0.0.1', 2, '10.0.0.1'],
    ['a proxy before an invalid entry', 'unknown, 10.0.0.2', '10.0.0.1', 2, '10.0.0.2'],
    ['IPv4 in IPv6', undefined, '::ffff:192.0.2.7', 0, '192.0.2.7'],
    ['IPv4 in IPv6, in hexadecimal', '0:0:0:0:0:FFFF:C000:0207', '10.0.0.1', 1, '192.0.2.7'],
    ['IPv6 in canonical form', '2001:DB8:0:0::0001', '10.0.0.1', 1, '2001:db8::1'],
    ['IPv4 in IPv6, from a proxy', '::ffff:6.6.6.6', '::ffff:10.0.0.1', 1, '6.6.6.6'],
    ['a short form of IPv4', '127.1', '10.0.0.1', 1, '10.0.0.1'],
    ['a port', '198.51.100.66:4711', '10.0.0.1', 1, '198.51.100.66'],
    ['brackets', '[2001:db8::1]', '10.0.0.1', 1, '2001:db8::1'],
    ['brackets and a port', '[2001:db8::1]:4711', '10.0.0.1', 1, '2001:db8::1'],
    ['text before brackets', 'x[2001:db8::1]', '10.0.0.1', 1, '10.0.0.1'],
    ['text after brackets', '[2001:db8::1]x', '10.0.0.1', 1, '10.0.0.1'],
    ['a port without brackets', '::ffff:6.6.6.6:4711', '10.0.0.1', 1, '10.0.0.1'],
    ['a zone', undefined, 'fe80::1%eth0', 0, 'fe80::1'],
    ['a closed connection', undefined, undefined, 0, '127.0.0.1'],
  ])('%s', (_case, forwarded, socket, hops, expected) => {
    expect(address(forwarded, socket, hops)).toBe(expected);
  });

  it('reads a header that was sent twice', () => {
    const headers = { 'x-forwarded-for': ['1.1.1.1', '6.6.6.6'] } as unknown as IncomingHttpHeaders;
    expect(resolveForwarded(headers, '10.0.0.1', 1)).toEqual({ 'x-forwarded-for': '6.6.6.6' });
  });

  it('is the one that the listener has set', () => {
    const addressIn = (headers: Record<string, string>) => clientAddress({ headers: new Headers(headers) });
    expect(addressIn({ 'x-forwarded-for': '6.6.6.6' })).toBe('6.6.6.6');
    expect(addressIn({})).toBe('127.0.0.1');
  });

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ])('%s belongs to the network %s', (client, network) => {
    expect(networkOf(client)).toBe(network);
  });

  it('trusts forwarded host and protocol from trusted proxies only', () => {
    const headers = {
      'x-forwarded-host': 'shop.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '1',
    };
    expect(resolveForwarded(headers, '10.0.0.1', 1)).toEqual({
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'shop.example',
      'x-forwarded-proto': 'https',
    });
    expect(resolveForwarded(headers, '10.0.0.1', 0)).toEqual({ 'x-forwarded-for': '10.0.0.1' });
    expect(resolveForwarded({}, '10.0.0.1', 1)).toStrictEqual({ 'x-forwarded-for': '10.0.0.1' });
  });

  it('is determined once per connection when several servers share the process, in parsed and raw headers', async () => {
    const log = { warn: vi.fn() };
    trustProxies(0, log);
    const server = createServer((request, response) => {
      const { headers, rawHeaders } = request;
      response.end(
        JSON.stringify({
          headers,
          rawHeaders,
          address: clientAddress(new Request('http://a', { headers: headers as Record<string, string> })),
        }),
      );
    });
    const port = await listen(server);
    const forged = {
      'X-Forwarded-For': '6.6.6.6',
      Forwarded: 'for=6.6.6.6',
      'X-Real-IP': '6.6.6.6',
      'X-Forwarded-Host': 'evil.example',
      'X-Mine': 'kept',
    };
    const receivedFrom = async (headers: Record<string, string>) => {
      const [response] = await once(send({ port, host: '127.0.0.1', headers }).end(), 'response');
      return JSON.parse(Buffer.concat(await response.toArray()).toString());
    };
    await receivedFrom({});
    expect(log.warn).not.toHaveBeenCalled();
    const received = await receivedFrom(forged);
    await receivedFrom(forged);
    server.close();
    expect(log.warn.mock.calls).toEqual([['X-Forwarded-For is ignored because TRUST_PROXY is 0.']]);
    expect(received.address).toBe('127.0.0.1');
    expect(JSON.stringify(received)).not.toMatch(/6\.6\.6\.6|evil/);
    expect(received.headers).toMatchObject({ 'x-mine': 'kept', 'x-forwarded-for': '127.0.0.1' });
    expect(received.rawHeaders).toEqual([
      ...['X-Mine', 'kept', 'Host', `127.0.0.1:${port}`, 'Connection', 'keep-alive'],
      ...['x-forwarded-for', '127.0.0.1'],
    ]);
  });
});
