/** Our host and `next start` of the same build, on the same database, send the same responses. */
import { eq } from 'drizzle-orm';
import { customers } from '#db/schema.ts';
import { isRead, pathTo } from '#src/api/operation.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { operations } from '#src/api/operations/index.ts';
import { pathsOf } from '#src/api/router.ts';
import { normalizeError } from '#tools/testing/normalize.ts';
import { isThorough } from '#tools/testing/thorough.ts';
import { signInByRequest } from '../dashboard/steps.ts';
import {
  type CallApi,
  credentialHeaders,
  expect,
  newCity,
  newCustomer,
  test,
  toothedRing,
} from '../support/fixtures.ts';
import { type RawResponse, sendRaw } from '../support/http.ts';

const ourUrl = `http://127.0.0.1:${process.env.E2E_PORT}`;
const plainUrl = `http://127.0.0.1:${process.env.E2E_PLAIN_PORT}`;
const methods = ['GET', 'POST', 'DELETE', ...(isThorough ? ['HEAD', 'PUT', 'PATCH', 'OPTIONS'] : [])];
const paths = [
  ...operations.flatMap((operation) => pathsOf(pathTo(operation, operation.docs.sample))),
  '/api/schedule/v1/customers/detail/',
  '/schedule/v2/customers/detail/',
  '/api/schedule/v1/payment/cards/none%20of%20ours',
  '/api',
  '/schedule',
  '/API/schedule/v1/customers/detail',
  '/SCHEDULE/v1/customers/detail',
  '/schedule/v1/customers/%64etail',
  '/api/schedule/v1',
  '/api/nothing',
  '/api/health/live',
  '/api/health/ready',
  '/api/webhooks/stripe',
];

/** Headers that the API contract names. Of those in `varying`, only the presence is compared. */
const compared = [
  'content-type',
  'cache-control',
  'etag',
  'vary',
  'allow',
  'www-authenticate',
  'ratelimit-policy',
  'idempotent-replayed',
  'x-content-type-options',
  'content-security-policy',
  'referrer-policy',
  'cross-origin-resource-policy',
  'access-control-allow-origin',
  'set-cookie',
];
const varying = ['x-request-id', 'ratelimit', 'retry-after', 'server-timing'];

/** Next.js adds the headers that its own pages vary on to every response. */
function varyOf({ vary = '' }: RawResponse['headers']): string[] {
  const names = vary.split(',').map((name) => name.trim());
  return names.filter((name) => name && !/^(rsc|next-.*|accept-encoding)$/i.test(name));
}

/** Both hosts have their own URL, and each request its own ID. */
const comparable = (text: string) =>
  text.startsWith('{"error"') ? JSON.stringify(normalizeError(JSON.parse(text))) : text;

function essence({ status, headers, text }: RawResponse): object {
  const values = compared.map((name) => [name, name === 'vary' ? varyOf(headers) : headers[name]]);
  const present = varying.map((name) => [name, name in headers]);
  return { status, text: comparable(text), headers: Object.fromEntries([...values, ...present]) };
}

type Options = NonNullable<Parameters<CallApi>[2]>;

/** As `api`, in a fraction of its time. */
function send(url: string, method: string, path: string, options: Options = {}): Promise<RawResponse> {
  const { as, headers, body } = options;
  const isJson = body !== undefined && { 'Content-Type': 'application/json' };
  return sendRaw(url, {
    method,
    path,
    headers: { ...(as && credentialHeaders(as)), ...isJson, ...headers },
    ...(body !== undefined && { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }),
  });
}

async function expectSameResponse(method: string, path: string, options?: Options) {
  const [ours, plain] = [
    await send(ourUrl, method, path, options),
    await send(plainUrl, method, path, options),
  ];
  expect(essence(ours), `${method} ${path}`).toEqual(essence(plain));
  return ours;
}

for (const method of methods) {
  test(`parity: ${method} returns the same response from both hosts at every path and with all credentials`, async ({
    customer,
  }) => {
    test.slow();
    const wrong = { ...customer, apiSecret: 'secret_test_wrong' };
    const unknown = { ...customer, apiKey: `key_test_${crypto.randomUUID()}` };
    for (const path of paths)
      for (const as of [undefined, customer, wrong, unknown])
        await expectSameResponse(method, path, as && { as });
  });
}

test('parity: sessions and disabled accounts get the same responses from both hosts', async ({
  context,
  db,
  customer,
}) => {
  await signInByRequest(context.request, customer);
  const [cookie] = await context.cookies();
  const statuses = async (more: Options) => {
    const found = new Set<number>();
    for (const operation of operations)
      for (const method of isRead(operation) ? ['GET', 'HEAD'] : [operation.method]) {
        const path = pathTo(operation, operation.docs.sample);
        found.add((await expectSameResponse(method, path, more)).status);
      }
    return [...found];
  };
  const from = (site: string) => ({
    headers: { Cookie: `${cookie?.name}=${cookie?.value}`, 'Sec-Fetch-Site': site },
  });
  const accepted = await statuses(from('same-origin'));
  expect(accepted).toContain(200);
  expect(accepted.filter((status) => status === 401 || status === 403)).toEqual([]);
  expect(await statuses(from('cross-site'))).toEqual([403]);
  await db.update(customers).set({ status: 'Suspended' }).where(eq(customers.id, customer.id));
  expect(await statuses(from('same-origin'))).toEqual([401]);
  expect(await statuses({ as: customer })).toEqual([403]);
});

test('parity: the detail of a large service area is readable from both hosts', async ({ api, db }) => {
  const owner = await newCustomer(db, { city: await newCity(db, { ring: toothedRing() }) });
  const [ours, plain] = await Promise.all(
    ['', plainUrl].map((host) => api('GET', host + pathTo(getCustomer), { as: owner })),
  );
  expect([ours?.status, ours?.headers['content-encoding']]).toEqual([200, 'gzip']);
  expect([plain?.status, plain?.text]).toEqual([200, ours?.text]);
});

test('parity: invalid bodies get the same error from both hosts', async ({ customer }) => {
  const path = '/api/schedule/v1/payment/cards';
  const bodies: Options[] = [
    { body: '{' },
    { body: {} },
    { body: { token: 'tok_visa', card: { expMonth: '13' } } },
    { body: { token: 'tok_nobody_made', card: {} } },
    { body: { token: 'tok_visa', card: {}, note: '4242 4242 4242 4242' } },
    { body: { token: 'tok_chargeDeclined', card: {} } },
    { body: 'x', headers: { 'Content-Type': 'text/plain' } },
    { body: { filler: 'x'.repeat(17_000) } },
    { body: {}, headers: { 'Idempotency-Key': 'x'.repeat(256) } },
  ];
  const statuses = [];
  for (const body of bodies)
    statuses.push((await expectSameResponse('POST', path, { as: customer, ...body })).status);
  expect(statuses).toEqual([400, 400, 400, 400, 400, 200, 415, 413, 400]);
});

test("parity: 304 from both hosts, and one host replays the other's idempotent response", async ({
  api,
  db,
  customer,
}) => {
  const detail = '/schedule/v1/customers/detail';
  const { headers } = await api('GET', detail, { as: customer });
  const known = { as: customer, headers: { 'If-None-Match': headers.etag ?? '' } };
  expect((await expectSameResponse('GET', detail, known)).status).toBe(304);

  const other = await newCustomer(db);
  const add = {
    as: other,
    headers: { 'Idempotency-Key': crypto.randomUUID() },
    body: { token: 'tok_visa', card: {} },
  };
  const added = await api('POST', `${plainUrl}/api/schedule/v1/payment/cards`, add);
  expect(added.json).toMatchObject({ status: true, card: { last4: '4242' } });
  const replayed = await expectSameResponse('POST', '/api/schedule/v1/payment/cards', add);
  expect([replayed.text, replayed.headers['idempotent-replayed']]).toEqual([added.text, 'true']);
  const { uuid } = (added.json as { card: { uuid: string } }).card;
  const card = `/api/schedule/v1/payment/cards/${uuid}`;
  expect((await api('DELETE', card, { as: other })).status).toBe(200);
  expect((await expectSameResponse('DELETE', card, { as: other })).status).toBe(404);
});
