import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eq } from 'drizzle-orm';
import { customers } from '#db/schema.ts';
import { checkout } from '#tools/checkout.ts';
import { signInByRequest } from '../dashboard/steps.ts';
import {
  credentialHeaders,
  expect,
  newCustomer,
  type ReceivedResponse,
  requestLogLines,
  test,
} from '../support/fixtures.ts';
import { sendRaw } from '../support/http.ts';

// Only our host logs pages.
test('request show: finds the log line of any response by its X-Request-Id', {
  tag: ['@host', '@thorough'],
}, async ({ api, customer }) => {
  const detail = '/schedule/v1/customers/detail';
  const cards = '/api/schedule/v1/payment/cards';
  const wrong = { ...customer, apiSecret: 'secret_test_wrong' };
  const responses = {
    read: await api('GET', detail, { as: customer }),
    refused: await api('GET', detail, { as: wrong }),
    added: await api('POST', cards, { as: customer, body: { token: 'tok_visa', card: {} } }),
    elsewhere: await api('GET', `${detail}/x`),
    options: await api('OPTIONS', detail),
    page: await api('GET', '/docs/nothing'),
    document: await api('GET', '/openapi.json'),
    rewritten: await api('GET', '/docs.md'),
    unreadable: await api('GET', detail, { headers: { Host: 'not a host' } }),
  };
  const found = ({ headers }: ReceivedResponse) => requestLines(headers['x-request-id']);
  const lines = await found(responses.read);
  expect(lines).toMatchObject([
    { operation: 'getCustomer', method: 'GET', status: 200, customerId: customer.id },
  ]);
  expect(await shownByOperator(responses.read)).toEqual({ lines });
  expect(await found(responses.refused)).toMatchObject([
    { operation: 'getCustomer', status: 403, customerId: customer.id, elapsedMs: expect.any(Number) },
  ]);
  expect(await found(responses.added)).toMatchObject([
    {
      operation: 'addCard',
      status: 200,
      elapsedMs: expect.any(Number),
      provider: expect.arrayContaining([
        expect.objectContaining({ requestId: expect.stringMatching(/^req_/) }),
      ]),
    },
  ]);
  expect(await found(responses.elsewhere)).toMatchObject([
    { operation: 'not_found', status: 404, elapsedMs: expect.any(Number) },
  ]);
  expect(await found(responses.options)).toMatchObject([{ operation: 'options', status: 204 }]);
  expect(await found(responses.page)).toMatchObject([{ operation: 'page', status: 404 }]);
  expect(await found(responses.document)).toMatchObject([{ operation: 'page', status: 200 }]);
  // Another route has the page.
  expect(await found(responses.rewritten)).toMatchObject([{ path: '/docs.md', status: 200 }]);
  expect(await found(responses.unreadable)).toMatchObject([{ operation: 'request_unreadable', status: 400 }]);
});

/** @returns what the operator's command prints, which reads the log with the same function as the other tests */
async function shownByOperator({ headers }: ReceivedResponse): Promise<unknown> {
  const command = ['src/cli/main.ts', '--json', 'request', 'show', headers['x-request-id'] ?? ''];
  const env = { ...process.env, DATA_DIR: process.env.E2E_DATA_DIR, LOG_FILE: '' };
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: checkout, env });
  return JSON.parse(stdout);
}

/** Without the security events of the request. */
async function requestLines(requestId: string | undefined) {
  return (await requestLogLines(requestId)).filter((line) => line.operation !== undefined);
}

async function logged({ headers }: Pick<ReceivedResponse, 'headers'>): Promise<unknown[][]> {
  const lines = await requestLines(headers['x-request-id']);
  return lines.map((line) => [line.operation, line.method, line.status, line.customerId]);
}

test('request log: names the customer for 304, removeCard, and a disabled account', async ({
  api,
  customer,
  db,
}) => {
  const detail = '/schedule/v1/customers/detail';
  const read = await api('GET', detail, { as: customer });
  const headers = { 'If-None-Match': read.headers.etag ?? '' };
  const unchanged = await api('GET', detail, { as: customer, headers });
  const removed = await api('DELETE', '/api/schedule/v1/payment/cards/999999999', { as: customer });
  await db.update(customers).set({ status: 'Suspended' }).where(eq(customers.id, customer.id));
  const disabled = await api('GET', detail, { as: customer });
  expect(await logged(unchanged)).toEqual([['getCustomer', 'GET', 304, customer.id]]);
  expect(await logged(removed)).toEqual([['removeCard', 'DELETE', 404, customer.id]]);
  expect(await logged(disabled)).toEqual([['getCustomer', 'GET', 403, customer.id]]);
});

test('request log: names the customer for 429 and an expired session', async ({
  api,
  baseURL,
  context,
  customer,
  db,
}) => {
  const detail = '/schedule/v1/customers/detail';
  await signInByRequest(context.request, customer);
  const cookies = await context.cookies();
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const bySession = (headers = {}) => api('GET', detail, { headers: { Cookie, ...headers } });
  const [busy, guessed] = [await newCustomer(db), await newCustomer(db)];
  const until429 = async (as: typeof customer) => {
    const read = { method: 'GET', path: detail, headers: credentialHeaders(as) };
    for (;;) {
      // Several at a time, so that also a busy machine sends a minute's quota within a minute.
      const responses = await Promise.all(Array.from({ length: 20 }, () => sendRaw(baseURL ?? '', read)));
      const refused = responses.find(({ status }) => status === 429);
      if (refused) return refused;
    }
  };

  const overQuota = await until429(busy);
  const afterFailures = await until429({ ...guessed, apiSecret: 'secret_test_wrong' });
  expect((await bySession()).status).toBe(200);
  const fromElsewhere = await bySession({ 'Sec-Fetch-Site': 'cross-site' });
  await db.update(customers).set({ status: 'Suspended' }).where(eq(customers.id, customer.id));
  const ended = await bySession();
  const line = (status: number, { id } = customer) => [['getCustomer', 'GET', status, id]];
  expect(await logged(overQuota)).toEqual(line(429, busy));
  expect(await logged(afterFailures)).toEqual(line(429, guessed));
  expect(await logged(fromElsewhere)).toEqual(line(403));
  expect(await logged(ended)).toEqual(line(401));
});
