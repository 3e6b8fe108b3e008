/** Requests that no client sends, as bytes: odd methods, targets, encodings, sizes, and lengths that contradict each other. */
import fc from 'fast-check';
import { dashboardPages } from '#components/layout/nav-items.ts';

/** Of the headers and of the body: twice what the service accepts. */
const bytesMax = 32 * 1024;

const of = <T>(...values: T[]) => fc.constantFrom(...values);
/** The first of them three times out of four, so that a request has few faults at once. */
const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: of(...others) });
const path = of(
  ...dashboardPages.map((page) => page.path),
  ...[
    '/sign-in',
    '/sign-out',
    '/docs',
    '/docs/errors.md',
    '/icon.svg',
    '/no-such-page',
    '/_next/image?url=%2Ficon.svg',
  ],
  ...['/payout/transactions.csv', '/service-area/background-map/1', '/openapi.json', '/_next/static/x.js'],
  ...['/api/v1/customers/detail', '/schedule/v1/customers/payout', '/api/schedule/v1/payment/cards/1'],
  ...['/api/health/ready', '/api/webhooks/stripe', '/api', '/schedule'],
);
/** Other spellings of a path, some of which are the same resource. */
const spelling = mostly<(path: string) => string>(
  String,
  ...[
    '/',
    '/.',
    '/..',
    '//',
    '%2f',
    '%00',
    '%ff',
    '%',
    ';x=1',
    '?',
    '?a=%',
    '#x',
    '\\',
    '.json',
    '\u0080',
  ].map((end) => (text: string) => text + end),
  ...[
    '/',
    '/.',
    '/x/..',
    '/%2e%2e',
    '\\',
    'http://127.0.0.1',
    'http://evil.example',
    'ftp://x',
    '*',
    'x:1',
  ].map((start) => (text: string) => start + text),
  (text) => text.toUpperCase(),
  (text) => text.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
);
const method = mostly(
  'GET',
  ...['POST', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT'],
  ...['PROPFIND', 'M-SEARCH', 'QUERY', 'get', 'G\u0000T', 'NONE', ''],
);
const version = mostly('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', '');
const host = mostly(
  'Host: 127.0.0.1',
  ...['host: localhost:3000', 'Host: evil.example'],
  ...['Host:', 'Host: a\r\nHost: b', 'Host : x', 'Host: \u00ff', 'X-Host: x'],
);
const smuggled = 'GET /payout HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
/** The headers that say how long the body is, and the body. */
const message = mostly(
  '',
  ...['Content-Length: 2\r\n\r\n[]', 'Content-Length: 0\r\n\r\n'],
  `Content-Length: 0\r\n\r\n${smuggled}`,
  `Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy${smuggled}`,
  `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${smuggled}`,
  `Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
  `Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n${smuggled}`,
  `Transfer-Encoding: chunked\r\n\r\n2;x="\r\n"\r\nxy\r\n0\r\nHost: evil.example\r\n\r\n`,
  'Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx',
  'Transfer-Encoding: chunked\r\n\r\n5\r\nxy\r\n',
  'Content-Length: -1\r\n\r\nx',
  'Content-Length: 99999999999999999999\r\n\r\nx',
  'Content-Length: 30\r\n\r\ntoo short',
);
const header = of(
  ...[
    'Connection: Upgrade\r\nUpgrade: h2c',
    'Upgrade: websocket',
    'Expect: 100-continue',
    'Expect: x',
    'TE: trailers',
  ],
  ...[
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: gopher',
    'X-Original-URL: /cards',
    'X-HTTP-Method: PUT',
  ],
  ...[
    'RSC: 1',
    'Next-Router-Prefetch: 1',
    'Next-Router-State-Tree: %5B',
    'Next-Url: //evil.example',
    'Next-Action: x',
  ],
  ...[`Next-Action: ${'0'.repeat(42)}`, 'x-middleware-subrequest: proxy:proxy:proxy', 'x-nextjs-data: 1'],
  ...[
    'Origin: null',
    'Origin: http://evil.example',
    'Sec-Fetch-Site: same-origin',
    'Cookie: session=Fe26.2**a*b*c*d',
  ],
  ...[
    'Accept-Encoding: br;q=nan',
    'Range: bytes=0-0,-1',
    'If-None-Match: *',
    'Content-Type: multipart/form-data',
  ],
  ...[
    'Content-Type: application/json',
    'Content-Encoding: br',
    'Authorization: Basic \u00ff',
    ' folded: x',
    'a\u0000b: c',
  ],
  ...[
    'X-AUTH-APIKEY: %00\r\nX-AUTH-APISECRET: \u0001',
    'X-Request-Id: \u009b2J',
    'no colon',
    'Bare: x\ny: z',
    ':',
  ],
);
const filler = fc.oneof(
  { weight: 8, arbitrary: fc.constant('') },
  fc.integer({ min: 1, max: bytesMax }).map((bytes) => `X-Filler: ${'a'.repeat(bytes)}\r\n`),
);

const request = fc
  .tuple(method, path, spelling, version, host, fc.array(header, { maxLength: 3 }), filler, message)
  .map(([verb, plain, spell, protocol, hostLine, headers, fill, rest]) => {
    const lines = [`${verb} ${spell(plain)} ${protocol}`, hostLine, ...headers, 'Connection: close', ''];
    return `${lines.join('\r\n')}${fill}${rest.includes('\r\n\r\n') ? rest : `${rest}\r\n`}`;
  });

export function rawRequests(seed: number, count: number): string[] {
  return fc.sample(request, { seed, numRuns: count });
}

/** @returns what a response to such a request must not have */
export function faultsOf(response: string): string[] {
  const faults: [string, RegExp][] = [
    ['5xx', /^HTTP\/1\.1 5/m],
    ['a page of the dashboard', /aria-label="Main"/],
    ['a response of an operation', /^(\d+\r\n)?\{"(customer|payout)":/m],
    ['a redirect to another host', /^location: *(https?:)?(\/|\\){2}/im],
    ['no nosniff', /^(?!HTTP\/1\.1 100)HTTP\/1\.1 \d{3} (?![\s\S]*x-content-type-options: nosniff)/i],
  ];
  return faults.filter(([, pattern]) => pattern.test(response)).map(([name]) => name);
}
