import { expect, test } from '../support/fixtures.ts';
import { sendBytes } from '../support/http.ts';

const close = 'Connection: close\r\n';
const upgrade = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';

type Case = [title: string, status: number, requestLine: string, headers?: string];

/** As the browser writes them, or as a program does that is up to something. */
const cases: Case[] = [
  ['Upgrade: h2c of a page', 200, 'GET /sign-in', upgrade],
  ['Upgrade: h2c of the API', 200, 'GET /api/health/live', upgrade],
  ['Upgrade: h2c of an unknown page', 404, 'GET /no-such-page', upgrade],
  [
    'Upgrade: websocket',
    404,
    'GET /_next/webpack-hmr',
    'Connection: Upgrade, close\r\nUpgrade: websocket\r\n',
  ],
  ['an absolute-form target of a page', 200, 'GET http://127.0.0.1/sign-in'],
  ['an absolute-form target of the API', 200, 'GET http://127.0.0.1/api/health/live'],
  ['an absolute-form target without a path', 307, 'GET http://localhost'],
  ['an absolute-form target of another host', 421, 'GET http://evil.example/sign-in'],
  ['an absolute-form target with user information', 400, 'GET http://a@127.0.0.1/sign-in'],
  ['a target in another form', 400, 'GET ftp://127.0.0.1/sign-in'],
  ['the target *', 400, 'OPTIONS *'],
  ['CONNECT', 405, 'CONNECT evil.example:443'],
  ['TRACE of a page', 405, 'TRACE /sign-in'],
  ['TRACE of the API', 405, 'TRACE /api/health/live'],
  ['OPTIONS of a page', 405, 'OPTIONS /docs'],
  ...['PUT', 'DELETE', 'PATCH', 'PROPFIND'].map(
    (method): Case => [`${method} of a page`, 405, `${method} /sign-in`],
  ),
  // They are rendered again by an action, and the form of one rotates the secret.
  ...['/', '/payout', '/cards', '/api-access'].map(
    (path): Case => [`a form without a body of ${path}`, 400, `POST ${path}`],
  ),
  ...['/service-area', '/profile'].map((path): Case => [`POST of ${path}`, 405, `POST ${path}`]),
  ['POST of a file', 405, 'POST /icon.svg'],
  ['an invalid range of a file', 200, 'GET /icon.svg', `${close}Range: bytes=5-2\r\n`],
  ['GET of a form’s target', 405, 'GET /sign-out'],
  ...[
    '/x/../api/v1/customers/detail',
    '/./api/v1/customers/detail',
    '/x/%2E%2e/sign-in',
    '/x\\..\\sign-in',
  ].map((path): Case => [`${path} with dot segments`, 404, `GET ${path}`]),
  ...['/api/x/../health/live', '/api/./health/live', '/api/%2e/health/live'].flatMap((path): Case[] => [
    [`${path} with dot segments`, 404, `GET ${path}`],
    [`${path} with dot segments and a body`, 404, `GET ${path}`, `${close}Content-Length: 2\r\n\r\n{}`],
  ]),
  ['a path that cannot be decoded', 400, 'GET /docs/%ff'],
  [
    'an action that cannot exist',
    400,
    'POST /sign-in',
    `${close}Next-Action: \u009bx\r\nContent-Length: 2\r\n\r\n[]`,
  ],
  [
    'a router state that cannot be read',
    400,
    'GET /sign-in',
    `${close}RSC: 1\r\nNext-Router-State-Tree: %5B\r\n`,
  ],
  ['a form without a body', 400, 'POST /sign-in'],
  [
    'a form that cannot be parsed',
    400,
    'POST /sign-in',
    `${close}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5\r\n\r\n--x\r\n`,
  ],
  [
    'a form without a boundary',
    400,
    'POST /sign-in',
    `${close}Content-Type: multipart/form-data\r\nContent-Length: 5\r\n\r\n--x\r\n`,
  ],
  [
    'a form that is too large',
    413,
    'POST /sign-in',
    `${close}Content-Length: 20000\r\n\r\n${'x'.repeat(20_000)}`,
  ],
  [
    'another site’s form',
    403,
    'POST /sign-out',
    `${close}Origin: http://evil.example\r\nContent-Length: 1\r\n\r\nx`,
  ],
  ['the image optimizer', 404, 'GET /_next/image?url=%2Ficons%2Fapple.png&w=64&q=75'],
  ['a file', 200, 'GET /icon.svg'],
  ...['/.env', '/.git/config', '/.data/secrets.json', '/package.json', '/_next/static', '/icons'].map(
    (path): Case => [`${path}, which is not public,`, 404, `GET ${path}`],
  ),
  ['repeated slashes', 308, 'GET //sign-in'],
  ['a trailing slash', 308, 'GET /payout/'],
];

for (const [title, status, requestLine, headers = close] of cases) {
  test(`HTTP: ${title} returns ${status} with nosniff`, async ({ baseURL }) => {
    const end = headers.includes('\r\n\r\n') ? '' : '\r\n';
    const response = await sendBytes(
      baseURL,
      `${requestLine} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}${end}`,
    );
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(response).toMatch(/^x-content-type-options: nosniff\r$/im);
    if (status === 405) expect(response).toMatch(/^allow: \S/im);
    if (status >= 400) expect(response).toMatch(/^content-security-policy: default-src 'none'/im);
  });
}

const hosts: [string, number][] = [
  ['Host: 127.0.0.1:1', 200],
  ['Host: localhost', 200],
  ['Host: [::1]:3000', 200],
  ['Host: 10.1.2.3', 200],
  ['Host: service', 200],
  ['Host: shop.localhost', 200],
  ['Host: evil.example', 421],
  ['Host: 127.0.0.1.evil.example', 421],
  ['Host: localhost.evil.example:80', 421],
  ['Host: a b', 400],
  ['Host: ', 400],
  ['Host: localhost\r\nHost: evil.example', 400],
];

for (const [host, status] of hosts) {
  for (const path of ['/sign-in', '/api/health/live']) {
    test(`Host: ${path} returns ${status} for ${JSON.stringify(host)}`, async ({ baseURL }) => {
      const response = await sendBytes(baseURL, `GET ${path} HTTP/1.1\r\n${host}\r\n${close}\r\n`);
      expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    });
  }
}

const actionOf = (page: string) => /&quot;id&quot;:&quot;([\da-f]+)&quot;/.exec(page)?.[1] ?? '';

test('HTTP: an action is not run for another page, which would hide the client’s address', async ({
  baseURL,
  request,
}) => {
  const id = actionOf(await (await request.get('/sign-in')).text());
  const form = new FormData();
  form.set('_1_apiKey', 'key_test_unknown');
  form.set('_1_apiSecret', 'secret');
  form.set('0', '[{},"$K1"]');
  const headers = { 'Next-Action': id, Origin: String(baseURL) };
  const call = (path: string) => fetch(`${baseURL}${path}`, { method: 'POST', body: form, headers });
  expect(await (await call('/sign-in')).text()).toContain('key_unknown');
  const refused = await call('/payout');
  expect([refused.status, refused.headers.get('x-nextjs-action-not-found')]).toEqual([400, '1']);
});

test('HTTP: an action is refused that asks for the page, which would not be counted', async ({
  baseURL,
  request,
}) => {
  const id = actionOf(await (await request.get('/sign-in')).text());
  const call = async (headers: Record<string, string>) => {
    const init = { method: 'POST', body: '[{}]', headers: { ...headers, 'Next-Action': id } };
    return (await fetch(`${baseURL}/sign-in?_rsc`, init)).status;
  };
  expect([await call({}), await call({ RSC: '1' })]).toEqual([200, 400]);
});

test('HTTP: an origin that Next cannot read causes no error', async ({ baseURL, request }) => {
  const id = actionOf(await (await request.get('/sign-in')).text());
  const headers = { 'Next-Action': id, 'Sec-Fetch-Site': 'same-origin', Origin: 'http://4242424242424242,b' };
  const response = await fetch(`${baseURL}/sign-in`, { method: 'POST', body: '[{}]', headers });
  expect(response.status).toBe(200);
});

/** Fields that the parsers of the host and of Next can read in different ways. */
const forgedFields = [
  ['00', 'name="00"'],
  ['two names', 'name="0"\r\nContent-Disposition: form-data; name="_1_a"'],
  ['a name twice', 'name="0"; name="_1_a"'],
  ['a file as well', 'name="0"; filename="a"'],
  ['another encoding', 'name="0"\r\nContent-Type: text/plain; charset=utf-16le'],
] as const;

for (const [title, field] of forgedFields) {
  test(`HTTP: a call of an action whose arguments refer to themselves, in ${title}, gets a response`, async ({
    baseURL,
    request,
  }) => {
    const id = actionOf(await (await request.get('/sign-in')).text());
    expect(id).not.toBe('');
    const endless = JSON.stringify([{ id, bound: '$@0' }, '$h0:0']);
    const part = (head: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const response = await fetch(`${baseURL}/sign-in`, {
      method: 'POST',
      body: `${part(field, endless)}${part('name="0"', '[]')}--x--\r\n`,
      headers: { 'Next-Action': id, 'Content-Type': 'multipart/form-data; boundary=x' },
    });
    expect([200, 400]).toContain(response.status);
  });
}
