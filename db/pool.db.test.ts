import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { fakeTimers } from '#tools/testing/fake-timers.ts';
import { DatabaseBusyError } from './errors.ts';
import { limitStatements, type StatementLimits } from './pool.ts';

const { sql } = await testDatabase();
const sent = vi.spyOn(sql, 'unsafe');
const limited = (limits: StatementLimits, changes: Partial<Parameters<typeof limitStatements>[0]> = {}) =>
  limitStatements(
    {
      ready: () => undefined,
      current: () => sql,
      onError: () => {},
      begin: vi.fn(),
      onStall: () => {},
      ...changes,
    },
    limits,
  );
/** A query that blocks until the test releases the lock. */
const held = 'select pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1)';
const holder = await sql.reserve();
// postgres.js opens connections with a timer, which tests stop.
await Promise.all([sql`select`, sql`select`, sql`select`]);
const release = () => holder`select pg_advisory_unlock_all()`;

beforeEach(async () => {
  await holder`select pg_advisory_lock(1)`;
  sent.mockClear();
});
afterEach(async () => {
  vi.useRealTimers();
  await release();
  // A query on its way to the server would wait for the next test's lock.
  await Promise.allSettled(sent.mock.results.map(({ value }) => value));
});
afterAll(() => holder.release());

async function waitingCount(): Promise<number> {
  const rows = await sql`
    select from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and locktype = 'advisory' and not granted`;
  return rows.count;
}

test('limits concurrent queries and runs the rest afterward', async () => {
  const { client } = limited({ connectionsMax: 2 });
  const all = Array.from({ length: 5 }, () => client.unsafe(held));
  await expect.poll(waitingCount).toBe(2);
  expect(sent).toHaveBeenCalledTimes(2);
  await release();
  await Promise.all(all);
  expect(sent).toHaveBeenCalledTimes(5);
});

test('rejects immediately when the queue is full, and accepts again once it is drained', async () => {
  const { client, isQueueFull } = limited({ connectionsMax: 1 });
  const all = [];
  while (!isQueueFull() && all.length < 1_000) all.push(client.unsafe(held));
  expect(all).toHaveLength(1 + 500);
  await expect(client.unsafe(held)).rejects.toThrow(DatabaseBusyError);
  await expect(client.unsafe(held).values()).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
  expect(sent).toHaveBeenCalledTimes(1);
  await release();
  await Promise.all(all);
  expect(isQueueFull()).toBe(false);
});

test('runs the queries of one customer on a third of the connections, and refuses only these when too many wait', async () => {
  let customer: number | undefined = 1;
  const { client, isQueueFull, stats } = limited({ connectionsMax: 6, customerId: () => customer });
  const all = Array.from({ length: 2 + 500 }, () => client.unsafe(held));
  await expect.poll(waitingCount).toBe(2);
  expect(stats()).toEqual({ running: 2, waiting: 500 });
  await expect(client.unsafe(held)).rejects.toThrow('Too many statements are waiting.');
  expect(isQueueFull()).toBe(false);
  for (const other of [2, undefined]) {
    customer = other;
    await client.unsafe('select 1');
  }
  expect(sent).toHaveBeenCalledTimes(4);
  await release();
  await Promise.all(all);
  expect(stats()).toEqual({ running: 0, waiting: 0 });
});

test('times out a query without a response and logs it once', async () => {
  fakeTimers();
  const onStall = vi.fn();
  const { client } = limited({ connectionsMax: 2, statementTimeoutMs: 8_000 }, { onStall });
  await client.unsafe('select 1');
  const ended = vi.fn();
  const query = client.unsafe(held);
  query.catch(ended);
  await vi.advanceTimersByTimeAsync(8_499);
  expect([onStall.mock.calls, ended.mock.calls]).toEqual([[], []]);
  await vi.advanceTimersByTimeAsync(1);
  expect(onStall).toHaveBeenCalledOnce();
  await expect(query).rejects.toThrow(DatabaseBusyError);
  // A stall is reported again while it lasts.
  await vi.advanceTimersByTimeAsync(8_500);
  expect(onStall).toHaveBeenCalledTimes(2);
});

/** @returns the number of the client's queries that have reached the server */
const sentCount = () => sent.mock.calls.length;

test("timeouts: the server's starts when a query is sent, the caller's when it is queued", async () => {
  fakeTimers();
  await holder`select pg_advisory_lock(2)`;
  const onStall = vi.fn();
  const { client } = limited({ connectionsMax: 1, statementTimeoutMs: 8_000 }, { onStall });
  const [first, ...queued] = ['1', '2', '3'].map((lock) => client.unsafe(held.replaceAll('1', lock)));
  const refused = Promise.all(queued.map((query) => expect(query).rejects.toThrow(DatabaseBusyError)));
  await vi.advanceTimersByTimeAsync(5_000);
  await holder`select pg_advisory_unlock(1)`;
  await first;
  await expect.poll(sentCount).toBe(2);
  await vi.advanceTimersByTimeAsync(8_499);
  await refused;
  expect(onStall).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onStall).toHaveBeenCalledOnce();
  await release();
  await client.unsafe('select 4');
  // The third query's caller timed out before the query was sent.
  expect(sent.mock.calls.map(([text]) => text.match(/\d/)?.[0])).toEqual(['1', '2', '4']);
});

test.each([
  ['on one connection', { connectionsMax: 1, statementsPerConnectionMax: 2 }],
  ['behind a pooler', { connectionsMax: 2, isPooled: true }],
])('timeouts: queries %s time out together', async (_, limits) => {
  fakeTimers();
  const onStall = vi.fn();
  const { client } = limited({ ...limits, statementTimeoutMs: 8_000 }, { onStall });
  const behind = client.unsafe(held);
  behind.catch(() => {});
  await vi.advanceTimersByTimeAsync(8_000);
  await client.unsafe('select 1');
  await vi.advanceTimersByTimeAsync(8_499);
  expect(onStall).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onStall).toHaveBeenCalledOnce();
});

test('timeouts: queries on other connections do not extend the time of one without a response', async () => {
  fakeTimers();
  const onStall = vi.fn();
  const { client } = limited({ connectionsMax: 2, statementTimeoutMs: 8_000 }, { onStall });
  const silent = client.unsafe(held);
  silent.catch(() => {});
  await vi.advanceTimersByTimeAsync(8_000);
  await client.unsafe('select 1');
  await vi.advanceTimersByTimeAsync(499);
  expect(onStall).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onStall).toHaveBeenCalledOnce();
});

test('timeouts: maintenance without a time limit can wait for a day', async () => {
  fakeTimers();
  const onStall = vi.fn();
  const { client } = limited({ connectionsMax: 1 }, { onStall });
  const query = client.unsafe(held);
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  expect(onStall).not.toHaveBeenCalled();
  await release();
  expect(await query).toHaveLength(1);
});

test('timeouts: a query that the server cancels does not stall its connection', async () => {
  fakeTimers();
  const onStall = vi.fn();
  const { client } = limited({ connectionsMax: 1, statementTimeoutMs: 8_000 }, { onStall });
  const canceled = expect(client.unsafe(held)).rejects.toMatchObject({ code: '57014' });
  await expect.poll(waitingCount).toBe(1);
  await sql`select pg_cancel_backend(pid) from pg_locks where locktype = 'advisory' and not granted`;
  await canceled;
  await vi.advanceTimersByTimeAsync(8_500);
  expect(onStall).not.toHaveBeenCalled();
});

test.each([
  ['40001', undefined, 3],
  ['40P01', undefined, 3],
  ['40P01', 8_000, 1],
])(
  'retries a statement after SQLSTATE %s (time limit %s): %i times',
  async (code, statementTimeoutMs, times) => {
    const { client } = limited({ connectionsMax: 1, ...(statementTimeoutMs && { statementTimeoutMs }) });
    const failing = `do $$ begin raise 'failed' using errcode = '${code}'; end $$`;
    await expect(client.unsafe(failing)).rejects.toMatchObject({ code });
    expect(sentCount()).toBe(1 + times);
    await expect(client.unsafe('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(sentCount()).toBe(2 + times);
  },
);

test('does not repeat a statement after its caller has received an error', async () => {
  fakeTimers();
  const { client } = limited({ connectionsMax: 1, statementTimeoutMs: 8_000 });
  const late = expect(
    client.unsafe(
      "do $$ begin perform pg_advisory_xact_lock(1); raise 'failed' using errcode = '40P01'; end $$",
    ),
  ).rejects.toThrow(DatabaseBusyError);
  await expect.poll(waitingCount).toBe(1);
  await vi.advanceTimersByTimeAsync(8_500);
  await late;
  await release();
  await client.unsafe('select 1');
  expect(sentCount()).toBe(2);
});

test('sends a query once the server that is looked for is found', async () => {
  const search = Promise.withResolvers<void>();
  const ready = vi.fn<() => Promise<void> | undefined>().mockReturnValueOnce(search.promise);
  const { client } = limited({ connectionsMax: 2 }, { ready });
  const waiting = client.unsafe('select 1 as waiting');
  await client.unsafe('select 2 as later');
  expect(sent.mock.calls.map(([text]) => text)).toEqual(['select 2 as later']);
  search.resolve();
  expect([...(await waiting)]).toEqual([{ waiting: 1 }]);
});

test('prepares a query with parameters on its connection, for the next one', async () => {
  const { client } = limited({ connectionsMax: 1 });
  const itself = 'select $1::text as parameter from pg_prepared_statements where statement = current_query()';
  expect([...(await client.unsafe(itself, ['one']))]).toEqual([{ parameter: 'one' }]);
});

test('returns the row of SHOW, for which PostgreSQL does not count rows', async () => {
  const { client } = limited({ connectionsMax: 1 });
  expect([...(await client.unsafe('show standard_conforming_strings'))]).toEqual([
    { standard_conforming_strings: 'on' },
  ]);
});

test('reports a failed query with its client, so that the server is looked for again', async () => {
  const onError = vi.fn();
  const { client } = limited({ connectionsMax: 1 }, { onError });
  await client.unsafe('select 1');
  expect(onError).not.toHaveBeenCalled();
  const error = await client.unsafe('select 1 / 0').catch((thrown: unknown) => thrown);
  expect(onError.mock.calls).toEqual([[error, sql]]);
});

test('returns rows as objects, or as arrays with values()', async () => {
  const { client } = limited({ connectionsMax: 1 });
  const text = 'select 1 as one, $1::text as other';
  expect([...(await client.unsafe(text, ['two']))]).toEqual([{ one: 1, other: 'two' }]);
  expect([...(await client.unsafe(text, ['two']).values())]).toEqual([[1, 'two']]);
});

test('refuses transactions on a pool that serves requests', () => {
  const { client } = limited({ connectionsMax: 4, statementTimeoutMs: 1_000 });
  expect(() => client.begin('', async () => {})).toThrow('Use one statement or an SQL function');
});

test('runs a transaction of maintenance on a connection of its own', async () => {
  const begin = vi.fn();
  const { client } = limited({ connectionsMax: 1 }, { begin });
  const work = async () => {};
  await client.begin(work);
  expect(begin).toHaveBeenCalledExactlyOnceWith(work);
});
