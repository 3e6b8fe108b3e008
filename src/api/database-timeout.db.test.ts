import postgres from 'postgres';
import { afterAll, expect, test } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { handleApiRequest } from '#src/api/router.ts';
import { services } from '#src/api/services.ts';
import { closeSession } from '#src/api/session.ts';
import { add } from '#src/cards/tests/support.ts';
import { newToken } from '#src/tokens.ts';
import { call, signIn, testService } from '#tools/testing/api.ts';
import { onPostgres } from '#tools/testing/citus.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { startProxy } from '#tools/testing/proxy.ts';

const failuresMax = 3;
const service = await testService({ LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: String(failuresMax) });

let isMute = false;
const wire = await startProxy('database', new URL(service.url), () => !isMute);
const reopen = () => service.restart({ DATABASE_URL: wire.url.href });
await reopen();
afterAll(() => wire.close());

const readiness = async () =>
  (await handleApiRequest(new Request('http://127.0.0.1/api/health/ready'))).status;
/** On a busy machine, a check can take longer than it may. */
const becomesReady = () => expect.poll(readiness).toBe(200);
const statusesOf = async (calls: Promise<{ status: number }>[]) => [
  ...new Set((await Promise.all(calls)).map(({ status }) => status)),
];

const waiting = async () => {
  const [row] = await service.sql`
    select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return row?.count;
};

/** Failed authentications are counted. */
async function expectLockout(): Promise<void> {
  const wrong = { ...(await newCustomer(service.db)), apiSecret: newToken('secret', 'test') };
  const fail = async () => (await call(getCustomer, wrong)).status;
  for (let failure = 0; failure < failuresMax; failure++) expect(await fail()).toBe(403);
  expect(await fail()).toBe(429);
}

/** A read, a write, and a failed authentication, which use different pools. */
async function expectEverythingWorks(customer: TestCustomer): Promise<void> {
  await becomesReady();
  expect((await call(getCustomer, customer)).status).toBe(200);
  expect((await add(customer, 'tok_visa')).json).toMatchObject({ status: true });
  await expectLockout();
}

test('returns 503 while the database times out, and recovers once it responds', async () => {
  const customer = await newCustomer(service.db);
  await expectEverythingWorks(await newCustomer(service.db));
  isMute = true;
  // More than fit on the connection, because queued callers must get their response as soon.
  const reads = Array.from({ length: 100 }, () => call(getCustomer, customer));
  const writes = Array.from({ length: 20 }, () =>
    services()
      .db.execute('select 1')
      .catch(() => ({ status: 503 })),
  );
  expect(await statusesOf(reads)).toEqual([503]);
  await Promise.all(writes);
  expect(await readiness()).toBe(503);
  isMute = false;
  await becomesReady();
  await expectEverythingWorks(customer);
});

onPostgres('row locks', () => {
  test('addCard: 40 requests waiting for a locked row do not exhaust the pool, or hold up authentication', async () => {
    const customer = await newCustomer(service.db);
    const locker = await service.sql.reserve();
    let isOver = false;
    // PostgreSQL cancels a statement that waits for too long. Its caller sends it again, so that others keep waiting.
    const addUntilOver = async (token: string) => {
      const statuses: number[] = [];
      while (!isOver) statuses.push((await add(customer, token)).status);
      return statuses;
    };
    try {
      await locker`begin`;
      await locker`select from customers where id = ${customer.id} for update`;
      const additions = Array.from({ length: 40 }, (_, n) => addUntilOver(`tok_visa_${n}`));
      await expect.poll(waiting).toBe(Math.floor(services().settings.DATABASE_POOL / 3));
      await expectLockout();
      isOver = true;
      expect([...new Set((await Promise.all(additions)).flat())]).toEqual([503]);
    } finally {
      isOver = true;
      await locker`rollback`;
      locker.release();
    }
    await expectEverythingWorks(customer);
  });

  test.each([
    ['sign-ins', signIn],
    [
      'sign-outs',
      async (_: TestCustomer, cookie: string) => closeSession(services(), cookie, { address: '10.3.1.1' }),
    ],
  ])('session: 6 %s of a customer waiting for a locked row leave connections to others', async (_, send) => {
    const customer = await newCustomer(service.db);
    const cookies = await Promise.all(Array.from({ length: 6 }, () => signIn(customer)));
    const locker = await service.sql.reserve();
    let isOver = false;
    const sendUntilOver = async (cookie: string) => {
      while (!isOver) await Promise.allSettled([send(customer, cookie)]);
    };
    let sent: Promise<void>[] = [];
    try {
      await locker`begin`;
      await locker`select from customers where id = ${customer.id} for update`;
      sent = cookies.map(sendUntilOver);
      await expect.poll(waiting).toBe(Math.floor(services().settings.DATABASE_POOL / 3));
      await expectEverythingWorks(await newCustomer(service.db));
    } finally {
      isOver = true;
      await locker`rollback`;
      locker.release();
    }
    await Promise.all(sent);
  });
});

test('/api/health/ready: returns 503 while the database is read-only', async () => {
  await reopen();
  const owner = postgres(service.ownerUrl, { max: 1 });
  const name = wire.url.pathname.slice(1);
  try {
    await owner.unsafe(`alter database ${name} set default_transaction_read_only = on`);
    expect(await readiness()).toBe(503);
  } finally {
    await owner.unsafe(
      `set default_transaction_read_only = off; alter database ${name} reset default_transaction_read_only`,
    );
    await owner.end();
  }
  await reopen();
  await becomesReady();
});

test('/api/health/ready: returns 503 while the service is stopping', async () => {
  await reopen();
  await becomesReady();
  services().stopping.abort();
  expect(await readiness()).toBe(503);
});
