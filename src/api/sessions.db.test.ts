import { AsyncLocalStorage } from 'node:async_hooks';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { unsealData } from 'iron-session';
import postgres from 'postgres';
import { beforeEach, expect, test, vi } from 'vitest';
import * as schema from '#db/schema.ts';
import { secrets, sessions } from '#db/schema.ts';
import { findServiceArea } from '#src/cities/find-service-area.ts';
import { rotateSecret } from '#src/customers/rotate-secret.ts';
import { setStatus } from '#src/customers/update-customer.ts';
import { tokenHash } from '#src/tokens.ts';
import { call, signIn, testService } from '#tools/testing/api.ts';
import { waitingForLock } from '#tools/testing/database.ts';
import { contextOf, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { addCard } from './operations/add-card.ts';
import { getCustomer } from './operations/get-customer.ts';
import { getPayout } from './operations/get-payout.ts';
import { operations } from './operations/index.ts';
import { countRequest, refusalOfRequest } from './rate-limits.ts';
import { services } from './services.ts';
import { closeSession, endSession, openSession, readSession, readSessionWithinQuota } from './session.ts';
import { sealedCookie, sessionKey } from './session-cookie.ts';
import { createSessionReads, listSessions, sessionsMax } from './session-queries.ts';

const service = await testService();
const sameOrigin = { 'Sec-Fetch-Site': 'same-origin' };
const client = { address: '192.0.2.7' };
const hour = 3_600_000;
/** What `stateOf` returns. */
const open = [200, true];
const ended = [401, false];
let customer: TestCustomer;

beforeEach(async () => {
  customer = await newCustomer(service.db);
});

/** Signs in as a browser does that may have a session already. */
async function signInFrom(userAgent: string, cookie = ''): Promise<string> {
  const headers = new Headers({ 'User-Agent': userAgent, Cookie: cookie });
  return signIn({ ...customer, headers });
}

/** What the API and the pages make of a session. */
async function stateOf(cookie: string): Promise<[status: number, isShown: boolean]> {
  const { status } = await call(getCustomer, null, { headers: { cookie } });
  return [status, (await readSession(services(), cookie)) !== null];
}

const sessionsOf = ({ id }: TestCustomer) =>
  service.owner.select().from(sessions).where(eq(sessions.customerId, id)).orderBy(sessions.createdAt);

test('session: opens the API and the pages for 12 hours, and keeps the address in client_ip', async () => {
  const before = await call(getCustomer, customer);
  const cookie = await signIn({ ...customer, ...client });
  expect(await stateOf(cookie)).toEqual(open);
  const [row] = await sessionsOf(customer);
  expect(Math.round(((row?.expiresAt.getTime() ?? 0) - Date.now()) / hour)).toBe(12);
  const shown = await readSession(services(), cookie);
  expect(shown).toMatchObject({ customerId: customer.id, payout: { balanceCents: 0n } });
  // Signing in changes the address only.
  const after = await call(getCustomer, null, { headers: { cookie } });
  const record = before.json.customer as object | undefined;
  expect(after.json).toEqual({ customer: { ...record, client_ip: client.address } });
});

test('session: has a new ID of 192 random bits for each sign-in, of which a hash is stored', async () => {
  const password = services().settings.SESSION_SECRET ?? '';
  const idOf = async (cookie: string) =>
    (await unsealData<{ id: string }>(cookie.replace('session=', ''), { password })).id;
  const ids = [await idOf(await signIn(customer)), await idOf(await signIn(customer))];
  for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(24);
  expect(new Set(ids).size).toBe(2);
  expect((await sessionsOf(customer)).map(({ idHash }) => idHash)).toEqual(ids.map(tokenHash));
});

test('session: returns 401 once it has expired, though its cookie has not', async () => {
  const cookie = await signIn(customer);
  await service.owner
    .update(sessions)
    .set({ expiresAt: new Date(Date.now() - 1000) })
    .where(eq(sessions.customerId, customer.id));
  expect(await stateOf(cookie)).toEqual(ended);
});

test('session: returns 401 after signing out, which ends no other session and clears the cookie', async () => {
  const [first, second, theirs] = [
    await signIn(customer),
    await signIn(customer),
    await signIn(await newCustomer(service.db)),
  ];
  expect(await closeSession(services(), first, client)).toMatchObject({ value: '', options: { maxAge: 0 } });
  expect([await stateOf(first), await stateOf(second), await stateOf(theirs)]).toEqual([ended, open, open]);
  expect(await closeSession(services(), null, client)).toMatchObject({ value: '' });
});

test.each([
  ['the secret that opened it is revoked', { revokedAt: new Date() }],
  ['the secret that opened it has expired', { expiresAt: new Date(Date.now() - 1000) }],
])('session: returns 401 once %s', async (_, change) => {
  const cookie = await signIn(customer);
  await service.owner.update(secrets).set(change).where(eq(secrets.id, customer.secretId));
  expect(await stateOf(cookie)).toEqual(ended);
});

test.each(['Inactive', 'Suspended'] as const)(
  'session: returns 401 for a customer who is %s',
  async (status) => {
    const cookie = await signIn(customer);
    const ctx = contextOf(service.owner);
    const { username } = customer;
    await setStatus(ctx, { username, status });
    expect(await stateOf(cookie)).toEqual(ended);
    expect(await sessionsOf(customer)).toEqual([]);
    await setStatus(ctx, { username, status: 'Active' });
    expect(await stateOf(cookie)).toEqual(ended);
    const next = await signIn(customer);
    await setStatus(ctx, { username, status: 'Active' });
    expect(await stateOf(next)).toEqual(open);
  },
);

test('session: returns 401 after a sign-in that waited for the customer to be suspended', async () => {
  const { username } = customer;
  let outcomes: Promise<unknown> | undefined;
  await service.sql.begin(async (other) => {
    // The suspension has changed the customer, and waits to delete the sessions.
    await other`lock table sessions in share row exclusive mode`;
    const suspension = setStatus(contextOf(service.owner), { username, status: 'Suspended' });
    await expect.poll(() => waitingForLock(service.sql)).toHaveLength(1);
    const opening = openSession(services(), { ...customer, address: '127.0.0.1' });
    outcomes = Promise.allSettled([suspension, opening]);
    await expect.poll(() => waitingForLock(service.sql)).toHaveLength(2);
  });
  expect(await outcomes).toEqual([
    { status: 'fulfilled', value: { hasChanged: true } },
    { status: 'rejected', reason: expect.objectContaining({ code: 'account_disabled' }) },
  ]);
  expect(await sessionsOf(customer)).toEqual([]);
});

test.each([-13, 2])(
  'session: lasts 12 hours if the clock of the service is off by %i hours',
  async (hours) => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + hours * hour);
    const opening = openSession(services(), { ...customer, address: '127.0.0.1' });
    await opening.finally(() => clock.mockRestore());
    const [session] = await sessionsOf(customer);
    expect(Number(session?.expiresAt) - Number(session?.createdAt)).toBe(12 * hour);
  },
);

test("session: returns 401 for another customer's session ID, and for one that does not exist", async () => {
  const other = await newCustomer(service.db);
  const id = 'the ID of a session';
  const { id: customerId, secretId } = customer;
  const expiresAt = new Date(Date.now() + hour);
  await service.owner.insert(sessions).values({ customerId, secretId, idHash: tokenHash(id), expiresAt });
  const cookieOf = async (owner: number, sealedId: string) => {
    const { name, value } = await sealedCookie(services().settings, owner, sealedId);
    return `${name}=${value}`;
  };
  expect(await stateOf(await cookieOf(customerId, id))).toEqual(open);
  expect(await stateOf(await cookieOf(other.id, id))).toEqual(ended);
  expect(await stateOf(await cookieOf(customerId, 'another'))).toEqual(ended);
});

test('session: the headers decide if either is present', async () => {
  const cookie = await signIn(customer);
  const statusWith = async (headers: Record<string, string>) =>
    (await call(getCustomer, null, { headers: { cookie, ...headers } })).status;
  expect(await statusWith({ 'X-AUTH-APIKEY': customer.apiKey })).toBe(401);
  expect(await statusWith({ 'X-AUTH-APISECRET': customer.apiSecret })).toBe(401);
  expect(await statusWith({ 'X-AUTH-APIKEY': '' })).toBe(401);
  expect(await statusWith({ 'X-AUTH-APIKEY': 'key', 'X-AUTH-APISECRET': 'secret' })).toBe(403);
});

test('session: returns 401 for a request that names another customer', async () => {
  const cookie = await signIn(customer);
  const statusFor = async (id: string) =>
    (await call(getCustomer, null, { headers: { cookie, 'X-Session-Customer': id } })).status;
  expect(await statusFor(String(customer.id))).toBe(200);
  expect(await statusFor(String((await newCustomer(service.db)).id))).toBe(401);
  expect(await statusFor('')).toBe(401);
});

for (const operation of operations) {
  const isWrite = operation.method !== 'GET';
  test(`${operation.id}: returns 403 to a session from another site${isWrite ? ' or without proof of the same' : ''}`, async () => {
    const cookie = await signIn(customer);
    const body = operation.docs.sample?.body;
    const typeWith = async (headers: Record<string, string>) => {
      const response = await call(operation, null, { headers: { cookie, ...headers }, body });
      return (response.json as { error?: { type: string } }).error?.type;
    };
    expect(await typeWith({ 'Sec-Fetch-Site': 'cross-site' })).toBe('cross_site');
    expect(await typeWith({ Origin: 'https://evil.example' })).toBe('cross_site');
    expect((await typeWith({})) === 'cross_site').toBe(isWrite);
    if (!isWrite) {
      const head = await call({ ...operation, method: 'HEAD' }, null, { headers: { cookie } });
      expect(head.status).toBe(200);
    }
    expect(await typeWith(sameOrigin)).not.toBe('cross_site');
    expect(await typeWith({ Origin: services().settings.publicUrl })).not.toBe('cross_site');
  });
}

test('getCustomer, getPayout: a session gets no ETag and is not cached', async () => {
  const cookie = await signIn(customer);
  for (const operation of [getCustomer, getPayout]) {
    const { status, headers } = await call(operation, null, { headers: { cookie, 'If-None-Match': '*' } });
    const caching = ['etag', 'vary', 'cache-control'].map((name) => headers.get(name));
    expect([status, ...caching]).toEqual([200, null, null, 'no-store']);
  }
});

test('addCard: a session adds a card, and the pages show it', async () => {
  const cookie = await signIn(customer);
  const body = { token: 'tok_visa' };
  const { json } = await call(addCard, null, { headers: { cookie, ...sameOrigin }, body });
  expect(json).toMatchObject({ status: true });
  expect(await readSession(services(), cookie)).toMatchObject({ cards: [{ last4: '4242' }] });
});

const setLastUse = (minutesAgo: number) =>
  service.owner
    .update(sessions)
    .set({ lastUsedAt: new Date(Date.now() - minutesAgo * 60_000) })
    .where(eq(sessions.customerId, customer.id));

test('session: returns 401 after 30 minutes of inactivity, and each use counts', async () => {
  const cookie = await signIn(customer);
  await setLastUse(29);
  expect(await stateOf(cookie)).toEqual(open);
  const lastUse = async () => (await sessionsOf(customer))[0]?.lastUsedAt.getTime();
  await expect.poll(lastUse).toBeGreaterThan(Date.now() - 60_000);
  await setLastUse(31);
  expect(await stateOf(cookie)).toEqual(ended);
  expect(await listSessions(service.web, customer.id, 30)).toEqual([]);
  expect(await listSessions(service.web, customer.id, 60)).toHaveLength(1);
});

test('session: signing in again ends the session that the browser had, of whatever customer', async () => {
  const first = await signInFrom(chrome);
  const second = await signInFrom(chrome, first);
  expect([await stateOf(first), await stateOf(second)]).toEqual([ended, open]);
  const mine = customer;
  customer = await newCustomer(service.db);
  await signInFrom(chrome, second);
  expect([await stateOf(second), await sessionsOf(mine)]).toEqual([ended, []]);
});

test('session: a customer has at most 20, even from sign-ins at the same time', async () => {
  const oldest = await signIn(customer);
  await setLastUse(1);
  await Promise.all(Array.from({ length: sessionsMax + 5 }, () => signIn(customer)));
  expect(await sessionsOf(customer)).toHaveLength(sessionsMax);
  expect(await stateOf(oldest)).toEqual(ended);
});

test('session: signing out everywhere ends all of the customer, if the session has not ended', async () => {
  const [first, second] = [await signIn(customer), await signIn(customer)];
  const theirs = await signIn(await newCustomer(service.db));
  const other = await newCustomer(service.db);
  expect(await closeSession(services(), first, { ...client, everywhereOf: other.id })).toBeNull();
  expect([await stateOf(first), await stateOf(second)]).toEqual([open, open]);
  await closeSession(services(), first, { ...client, everywhereOf: customer.id });
  expect([await stateOf(first), await stateOf(second), await stateOf(theirs)]).toEqual([ended, ended, open]);
  const third = await signIn(customer);
  expect(await closeSession(services(), first, { ...client, everywhereOf: customer.id })).toBeNull();
  expect(await stateOf(third)).toEqual(open);
});

test('session: another one of the customer can be ended, if the own has not ended', async () => {
  const [own, other] = [await signIn(customer), await signInFrom('Firefox/140.0')];
  const theirCustomer = await newCustomer(service.db);
  const theirs = await signIn(theirCustomer);
  const idOf = async (of: TestCustomer) => (await sessionsOf(of)).at(-1)?.idHash.toString('hex') ?? '';
  const end = (id: string, cookie = own) =>
    endSession(services(), cookie, { ...client, customerId: customer.id, id });
  const states = async () =>
    Promise.all([own, other, theirs].map(async (cookie) => (await stateOf(cookie))[0]));
  await end(await idOf(theirCustomer));
  await endSession(services(), own, {
    ...client,
    customerId: theirCustomer.id,
    id: await idOf(theirCustomer),
  });
  await endSession(services(), null, { ...client, customerId: customer.id, id: await idOf(customer) });
  await end('not an id');
  expect(await states()).toEqual([200, 200, 200]);
  await end(await idOf(customer));
  expect(await states()).toEqual([200, 401, 200]);
  await end(await idOf(customer), other);
  expect(await states(), 'an ended session ends no other').toEqual([200, 401, 200]);
});

test('session: its reads by public pages and by the end of another count toward the quota, and stop there', async () => {
  const [own, other] = [await signIn(customer), await signIn(customer)];
  const { rateLimits } = services();
  const used = async () => (await rateLimits.requests.get(customer.id))?.consumedPoints ?? 0;
  expect(await readSessionWithinQuota(services(), own)).toMatchObject({ customerId: customer.id });
  expect(await used()).toBe(1);
  await endSession(services(), own, { ...client, customerId: customer.id, id: 'ff' });
  expect(await used()).toBe(2);
  while (!(await refusalOfRequest(rateLimits, customer.id))) await countRequest(rateLimits, customer.id);
  const last = await used();
  expect(await readSessionWithinQuota(services(), own)).toBeNull();
  for (const { idHash } of await listSessions(service.web, customer.id, 30))
    await endSession(services(), own, { ...client, customerId: customer.id, id: idHash.toString('hex') });
  expect(await listSessions(service.web, customer.id, 30)).toHaveLength(2);
  expect(await used()).toBe(last);
  await closeSession(services(), other, client);
  expect(await listSessions(service.web, customer.id, 30), 'signing out always works').toHaveLength(1);
});

test('session: one that has ended is none for a public page, and does not count toward the quota', async () => {
  const cookie = await signIn(customer);
  await closeSession(services(), cookie, client);
  expect(await readSessionWithinQuota(services(), cookie)).toBeNull();
  expect(await services().rateLimits.requests.get(customer.id)).toBeNull();
});

test('sign-in: returns 429 after 30 in a minute, for that customer only', async () => {
  const signIns = await Promise.allSettled(Array.from({ length: 31 }, () => signIn(customer)));
  const refused = signIns.filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject([{ reason: { code: 'too_many_requests' } }]);
  expect(await stateOf(await signIn(await newCustomer(service.db)))).toEqual(open);
});

test('session: ends when the overlap of a rotated secret ends, and a new one does not', async () => {
  const old = await signIn(customer);
  const ctx = { db: service.db, actor: 'operator:anna' };
  const rotated = await rotateSecret(ctx, { username: customer.username, overlapSeconds: 60, mode: 'test' });
  const current = await signIn({ ...customer, ...rotated });
  expect([await stateOf(old), await stateOf(current)]).toEqual([open, open]);
  await service.owner
    .update(secrets)
    .set({ expiresAt: new Date(Date.now() - 1000) })
    .where(eq(secrets.id, customer.secretId));
  expect([await stateOf(old), await stateOf(current)]).toEqual([ended, open]);
  expect(await listSessions(service.web, customer.id, 30)).toHaveLength(1);
});

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
test.each([
  [chrome, 'Chrome on Windows'],
  [`${chrome} Edg/142.0.0.0`, 'Edge on Windows'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox on Android'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'Linux'],
  ['curl/8.5.0', 'Unknown device'],
])('session: is listed with its device: %s', async (userAgent, device) => {
  await signInFrom(userAgent);
  expect(await listSessions(service.web, customer.id, 30)).toMatchObject([{ device }]);
});

test.each([
  ['nothing', []],
  ['record', ['version', 'timezone']],
  ['payout', ['balance']],
  ['page', ['customer', 'city', 'cards', 'balance']],
] as const)('session reads: %s is read with the session: %j', async (include, expected) => {
  const key = await sessionKey(services().settings, await signIn(customer));
  if (!key) throw new Error('The cookie has no session.');
  const row = (await services().sessionReads.find(include, key)) ?? {};
  const always = ['customerId', 'status', 'secretId', 'sessionLastUsedAt'];
  expect(Object.keys(row).filter((name) => !always.includes(name))).toEqual(expected);
});

test('session reads: a page reads the outline of its city once, and again when the city has changed', async () => {
  const cookie = await signIn(customer);
  const { db } = services();
  const readOutline = async () => {
    const session = await readSession(services(), cookie);
    if (!session) throw new Error('The session has ended.');
    expect(session.city).not.toHaveProperty('polygonPoints');
    return findServiceArea(db, session.city);
  };
  const [first, atTheSameTime] = await Promise.all([readOutline(), readOutline()]);
  expect(atTheSameTime).toBe(first);
  expect(await readOutline()).toBe(first);
  const points = '[[1,1],[1,2],[2,2],[1,1]]';
  await service.owner.execute(sql`update cities set polygon_points = ${points}
    where id = (select city_id from customers where id = ${customer.id})`);
  expect((await readOutline()).ring).toEqual([
    [1, 1],
    [2, 1],
    [2, 2],
    [1, 1],
  ]);
});

test('session reads: the outline of a city that is imported after the session was read has the center of that import', async () => {
  const setCity = (at: number) =>
    service.owner.execute(sql`
      update cities set latitude = ${at}, longitude = ${at},
        polygon_points = ${`[[${at},${at}],[${at},${at + 1}],[${at + 1},${at + 1}],[${at},${at}]]`}
      where id = (select city_id from customers where id = ${customer.id})`);
  await setCity(1);
  const session = await readSession(services(), await signIn(customer));
  if (!session) throw new Error('The session has ended.');
  await setCity(41);
  const { center, ring } = await findServiceArea(services().db, session.city);
  expect([center, ring[0]]).toEqual([
    [41, 41],
    [41, 41],
  ]);
});

test('session reads: each statement runs in the context of its request, where its trace is', async () => {
  const requests = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const client = postgres(service.url, { max: 1 });
  try {
    const db = drizzle(client, { schema, logger: { logQuery: () => contexts.push(requests.getStore()) } });
    const { find } = createSessionReads(db, 60);
    const key = { customerId: customer.id, idHash: Buffer.alloc(32) };
    await Promise.all(['a', 'b', 'c'].map((name) => requests.run(name, () => find('nothing', key))));
    expect(contexts.sort()).toEqual(['a', 'b', 'c']);
  } finally {
    await client.end();
  }
});
