import { randomUUID } from 'node:crypto';
import { expect, requestLogLines, test } from '../support/fixtures.ts';
import { sendBytes } from '../support/http.ts';

const get = 'GET /schedule/v1/customers/detail HTTP/1.1\r\n';
const cases: [string, number, string][] = [
  ['a request that is not HTTP', 400, 'HELLO\r\n\r\n'],
  ['a control character in a header', 400, `${get}Host: x\r\nX-AUTH-APIKEY: a\u0001b\r\n\r\n`],
  ['two Content-Length headers', 400, `${get}Host: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`],
  ['HTTP/1.1 without Host', 400, `${get}X-AUTH-APIKEY: a\r\n\r\n`],
  ['a page request without Host', 400, 'GET /sign-in HTTP/1.1\r\n\r\n'],
  ['incomplete headers', 408, `${get}Host: x\r\nX-AUTH-`],
  ['headers over 16 KiB', 431, `${get}Host: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
];

for (const [name, status, bytes] of cases) {
  test(`malformed request: ${name} returns an error as JSON with a request id`, async ({ baseURL }) => {
    const response = await sendBytes(baseURL, bytes);
    const [head = '', body = ''] = response.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8\r?$/im);
    expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}\r?$/im);
    expect(JSON.parse(body)).toMatchObject({
      error: { code: status, type: expect.any(String), request_id: expect.any(String) },
    });
  });
}

test('pipelining: a malformed request does not replace the response to the one before', async ({
  baseURL,
}) => {
  const response = await sendBytes(baseURL, `${get}Host: x\r\n\r\nHELLO\r\n\r\n`);
  expect(response).toMatch(/^HTTP\/1\.1 401 /);
  expect(response).toMatch(/^connection: close\r$/im);
});

for (const [name, requestLine, host] of [
  ['another host', 'GET /docs', 'evil.example'],
  ['a method that a page does not support', 'PUT /docs', 'x'],
]) {
  test(`request ID: the refusal of ${name} has the caller's, as does its log line`, async ({ baseURL }) => {
    const requestId = randomUUID();
    const headers = `Host: ${host}\r\nX-Request-Id: ${requestId}\r\n\r\n`;
    expect(await sendBytes(baseURL, `${requestLine} HTTP/1.1\r\n${headers}`)).toContain(
      `X-Request-Id: ${requestId}`,
    );
    const [method, path] = requestLine?.split(' ') ?? [];
    expect(await requestLogLines(requestId)).toMatchObject([{ method, path }]);
  });
}

test("keep-alive: idle connections stay open longer than a load balancer's", async ({ request }) => {
  for (const path of ['/api/schedule/v1/customers/detail', '/sign-in']) {
    const idleSeconds = /timeout=(\d+)/.exec((await request.get(path)).headers()['keep-alive'] ?? '')?.[1];
    expect(Number(idleSeconds)).toBeGreaterThan(60);
  }
});

test('accepts HTTP/1.0 without Host and unknown Expect headers', async ({ baseURL }) => {
  const old = await sendBytes(baseURL, 'GET /api/health/live HTTP/1.0\r\n\r\n');
  expect(old).toMatch(/^HTTP\/1\.1 200 /);
  const close = 'Connection: close\r\n\r\n';
  const expecting = await sendBytes(baseURL, `${get}Host: x\r\nExpect: a miracle\r\n${close}`);
  expect(expecting).toMatch(/^HTTP\/1\.1 401 /);
  expect(expecting).toContain('Authentication required.');
});
