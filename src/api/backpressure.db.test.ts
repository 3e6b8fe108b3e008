import { afterEach, describe, expect, test, vi } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { removeCard } from '#src/api/operations/remove-card.ts';
import { services } from '#src/api/services.ts';
import { call, signIn, testService } from '#tools/testing/api.ts';
import { waitingForLock } from '#tools/testing/database.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { fakeTimers } from '#tools/testing/fake-timers.ts';

const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: '100000' });
// Statements wait until a test has unlocked their table.
await services().reads.execute('SET statement_timeout = 0');

type Send = () => ReturnType<typeof call>;

/** Who sends requests for a customer of its own. */
const callers = {
  keys: async (address: string): Promise<Send> => {
    const customer = await newCustomer(service.db);
    const headers = { 'X-Forwarded-For': address };
    return () => call(getCustomer, customer, { headers });
  },
  session: async (address: string): Promise<Send> => {
    const cookie = await signIn({ ...(await newCustomer(service.db)), address });
    return () => call(getCustomer, null, { headers: { cookie } });
  },
};

const statusesOf = async (responses: ReturnType<Send>[]) => [
  ...new Set((await Promise.all(responses)).map(({ status }) => status)),
];

/** Stops the clock, so that no request is refused for waiting. @returns functions that count the requests that ask the database */
function watchReads() {
  const { keyReads, sessionReads } = services();
  const [ofKeys, ofSessions] = [vi.spyOn(keyReads, 'find'), vi.spyOn(sessionReads, 'find')];
  fakeTimers();
  const results = () => [...ofKeys.mock.settledResults, ...ofSessions.mock.settledResults];
  return {
    sentCount: () => results().length,
    endedCount: () => results().filter(({ type }) => type !== 'incomplete').length,
  };
}

afterEach(() => void vi.restoreAllMocks());

describe.each(['keys', 'session'] as const)('overload by a caller with %s', (kind) => {
  test('503 for those that find 500 waiting; the others are served once the database responds', async () => {
    const [send, sendOther] = [await callers[kind]('192.0.2.1'), await callers[kind]('192.0.2.2')];
    const accepted: ReturnType<Send>[] = [];
    await service.sql.begin(async (locked) => {
      await locked.unsafe('LOCK TABLE customers IN ACCESS EXCLUSIVE MODE');
      const { sentCount } = watchReads();
      // Some are in statements already, and do not wait.
      while (accepted.length < 700) accepted.push(send());
      await expect.poll(sentCount).toBe(700);
      // The database does not respond for a while.
      vi.advanceTimersByTime(2_000);
      const refused = await Promise.race(accepted);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      expect(refused.json).toMatchObject({ error: { code: 503, type: 'unavailable' } });
      expect(refused.headers.get('x-request-id')).toBeTruthy();
      accepted.push(sendOther());
    });
    const statuses = (await Promise.all(accepted)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(500);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(statuses.at(-1)).toBe(200);
    expect((await send()).status).toBe(200);
  });

  test.each(['keys', 'session'] as const)(
    '200 for another with %s, who is read before most of 1,500 requests',
    async (otherKind) => {
      const [send, sendOther] = [await callers[kind]('192.0.2.3'), await callers[otherKind]('192.0.2.4')];
      const sent: ReturnType<Send>[] = [];
      const { keyReads, sessionReads } = services();
      const readBefore = Promise.withResolvers<number>();
      await service.sql.begin(async (locked) => {
        await locked.unsafe('LOCK TABLE customers IN ACCESS EXCLUSIVE MODE');
        const { sentCount, endedCount } = watchReads();
        while (sent.length < 1_500) sent.push(send());
        await expect.poll(sentCount).toBe(1_500);
        sent.push(sendOther());
        await expect.poll(sentCount).toBe(1_501);
        const { find } = otherKind === 'keys' ? keyReads : sessionReads;
        const read: Promise<unknown> = vi.mocked(find).mock.results.at(-1)?.value;
        read.then(() => readBefore.resolve(endedCount()), readBefore.reject);
      });
      expect(await readBefore.promise).toBeLessThan(750);
      expect(await statusesOf(sent)).toEqual([200]);
    },
  );
});

test('removeCard: the requests of a customer who is locked do not hold up those of another', async () => {
  const [locked, other] = [await newCustomer(service.db), await newCustomer(service.db)];
  const remove = (customer: TestCustomer, n: number) =>
    call(removeCard, customer, { params: { uuid: `${n}` }, headers: { 'Idempotency-Key': `${n}` } });
  const rebuild = await service.sql.reserve();
  await rebuild`begin`;
  await rebuild`select from customers where id = ${locked.id} for update`;
  const waiting = Array.from({ length: 50 }, (_, n) => remove(locked, n + 1));
  await expect.poll(() => waitingForLock(service.sql)).not.toEqual([]);
  expect(await statusesOf(Array.from({ length: 20 }, (_, n) => remove(other, n + 1)))).toEqual([404]);
  await rebuild`rollback`;
  rebuild.release();
  // PostgreSQL has canceled those that waited for too long.
  for (const status of await statusesOf(waiting)) expect([404, 503]).toContain(status);
  expect((await remove(locked, 51)).status).toBe(404);
});
