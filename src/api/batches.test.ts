import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { DatabaseBusyError } from '#db/errors.ts';
import { fakeTimers, timerCount } from '#tools/testing/fake-timers.ts';
import { createBatches } from './batches.ts';

/** Batches of numbers, whose statements end when the test says so. */
function numbers(options: { itemsMax: number; runningMax: number }) {
  const statements: { items: number[]; end: (error?: Error) => void }[] = [];
  const run = (items: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => item * 10)));
      statements.push({ items, end });
    });
  const sent = () => statements.map(({ items }) => items);
  return { ...createBatches(run, options), statements, sent };
}

test('batches: run one statement for the items of a turn, and return to each its own result', async () => {
  const { add, statements, sent } = numbers({ itemsMax: 10, runningMax: 1 });
  const first = [add(1), add(2)];
  expect(sent()).toEqual([]);
  await nextTurn();
  const second = [add(3), add(4)];
  await nextTurn();
  expect(sent()).toEqual([[1, 2]]);
  statements[0]?.end();
  expect(await Promise.all(first)).toEqual([10, 20]);
  await nextTurn();
  expect(sent()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  statements[1]?.end();
  expect(await Promise.all(second)).toEqual([30, 40]);
});

test('batches: run a statement for an item that is added when none waits', async () => {
  const { add, statements } = numbers({ itemsMax: 10, runningMax: 1 });
  for (const item of [0, 1]) {
    const result = add(item);
    await nextTurn();
    statements[item]?.end();
    expect(await result).toBe(item * 10);
    await nextTurn();
  }
});

test('batches: limit the items of a statement, and the statements at a time', async () => {
  const { add, statements, sent, waitingCount } = numbers({ itemsMax: 2, runningMax: 2 });
  const all = [1, 2, 3, 4, 5].map((item) => add(item));
  await nextTurn();
  expect(sent()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(waitingCount()).toBe(1);
  statements[1]?.end();
  await nextTurn();
  expect(sent().at(-1)).toEqual([5]);
  for (const { end } of statements) end();
  expect(await Promise.all(all)).toEqual([10, 20, 30, 40, 50]);
});

test('batches: groups take turns, so that one with many items does not delay another', async () => {
  const { add, statements, sent, waitingCount } = numbers({ itemsMax: 3, runningMax: 1 });
  const all = [...[1, 2, 3, 4, 5].map((item) => add(item, 'many')), add(6, 'few'), add(7, 'one')];
  expect(waitingCount()).toBe(7);
  await nextTurn();
  expect(sent()).toEqual([[1, 6, 7]]);
  for (const index of [0, 1, 2]) {
    statements[index]?.end();
    await nextTurn();
  }
  expect(sent().slice(1)).toEqual([[2, 3, 4], [5]]);
  expect(await Promise.all(all)).toEqual([10, 20, 30, 40, 50, 60, 70]);
});

test('batches: repeat a statement that failed for each item alone', async () => {
  const { add, statements, sent } = numbers({ itemsMax: 3, runningMax: 1 });
  const outcomes = Promise.allSettled([1, 2, 3].map((item) => add(item)));
  await nextTurn();
  statements[0]?.end(new Error('One of them is invalid.'));
  await nextTurn();
  expect(sent().slice(1)).toEqual([[1], [2], [3]]);
  statements[1]?.end();
  statements[2]?.end(new Error('This one is invalid.'));
  statements[3]?.end();
  expect(await outcomes).toEqual([
    { status: 'fulfilled', value: 10 },
    { status: 'rejected', reason: new Error('This one is invalid.') },
    { status: 'fulfilled', value: 30 },
  ]);
});

test('batches: reject only the items of a statement whose connection was lost', async () => {
  const { add, statements, sent } = numbers({ itemsMax: 2, runningMax: 1 });
  const outcomes = Promise.allSettled([1, 2, 3].map((item) => add(item)));
  await nextTurn();
  const lost = Object.assign(new Error('lost'), { code: 'CONNECTION_CLOSED' });
  statements[0]?.end(lost);
  await nextTurn();
  expect(sent()).toEqual([[1, 2], [3]]);
  statements[1]?.end();
  const rejected = { status: 'rejected', reason: lost };
  expect(await outcomes).toEqual([rejected, rejected, { status: 'fulfilled', value: 30 }]);
});

describe('with fake timers', () => {
  beforeEach(fakeTimers);

  test('batches: reject an item without a result in time, and do not send it any more', async () => {
    const { add, statements, sent, waitingCount } = numbers({ itemsMax: 1, runningMax: 1 });
    const outcomes = Promise.allSettled([1, 2].map((item) => add(item)));
    await nextTurn();
    vi.advanceTimersByTime(4_000);
    const later = add(3);
    vi.advanceTimersByTime(500);
    const late = {
      status: 'rejected',
      reason: new DatabaseBusyError('The database did not respond in time.'),
    };
    expect(await outcomes).toEqual([late, late]);
    statements[0]?.end();
    await nextTurn();
    expect(sent()).toEqual([[1], [3]]);
    expect(timerCount('batches.ts')).toBe(1);
    statements[1]?.end();
    expect(await later).toBe(30);
    expect([waitingCount(), timerCount('batches.ts')]).toEqual([0, 0]);
  });

  test('overload: of a group, 500 items wait as long as the database may take, and the others half a second', async () => {
    const { add, statements, sent, waitingCount } = numbers({ itemsMax: 600, runningMax: 1 });
    const first = add(0);
    await nextTurn();
    const long = Array.from({ length: 500 }, (_, item) => add(item, 'many'));
    const short = Promise.allSettled([add(1_000, 'many'), add(2_000, 'many')]);
    const other = add(3_000, 'other');
    vi.advanceTimersByTime(500);
    expect((await short).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(waitingCount()).toBe(501);
    vi.advanceTimersByTime(3_900);
    statements[0]?.end();
    await first;
    await nextTurn();
    expect(sent()[1]).toHaveLength(501);
    const timers = timerCount('batches.ts');
    statements[1]?.end();
    expect(await other).toBe(30_000);
    expect(await Promise.all(long)).toHaveLength(500);
    expect([timers, timerCount('batches.ts')]).toEqual([501, 0]);
  });

  test('batches: leave no timer of an item whose statement failed', async () => {
    const { add, statements } = numbers({ itemsMax: 1, runningMax: 1 });
    const outcome = Promise.allSettled([add(1)]);
    await nextTurn();
    statements[0]?.end(new Error('It is invalid.'));
    expect(await outcome).toMatchObject([{ status: 'rejected' }]);
    expect(timerCount('batches.ts')).toBe(0);
  });

  test('batches: do not repeat a statement that failed for an item whose time is over', async () => {
    const { add, statements, sent } = numbers({ itemsMax: 2, runningMax: 1 });
    const late = Promise.allSettled([add(1)]);
    vi.advanceTimersByTime(100);
    const onTime = add(2);
    await nextTurn();
    vi.advanceTimersByTime(4_400);
    statements[0]?.end(new Error('One of them is invalid.'));
    await nextTurn();
    expect(sent()).toEqual([[1, 2], [2]]);
    statements[1]?.end();
    expect([await late, await onTime]).toMatchObject([[{ status: 'rejected' }], 20]);
  });

  test('batches: a group whose only item is late does not hold up the others', async () => {
    const { add, statements, sent } = numbers({ itemsMax: 1, runningMax: 1 });
    const late = Promise.allSettled([add(1), add(2, 'late')]);
    await nextTurn();
    vi.advanceTimersByTime(100);
    const onTime = add(3, 'on time');
    vi.advanceTimersByTime(4_400);
    statements[0]?.end();
    await nextTurn();
    expect(sent()).toEqual([[1], [3]]);
    statements[1]?.end();
    expect([await late, await onTime]).toMatchObject([[{ status: 'rejected' }, { status: 'rejected' }], 30]);
  });

  test('overload: of all groups, 5,000 items wait as long as the database may take, and the others half a second', async () => {
    const { add, statements, waitingCount } = numbers({ itemsMax: 10_000, runningMax: 1 });
    const first = add(0);
    await nextTurn();
    const long = Array.from({ length: 5_000 }, (_, item) => add(item, `group ${item % 50}`));
    const short = Promise.allSettled([add(5_000, 'another group')]);
    vi.advanceTimersByTime(500);
    expect(await short).toMatchObject([{ status: 'rejected' }]);
    expect(waitingCount()).toBe(5_000);
    statements[0]?.end();
    await first;
    await nextTurn();
    statements[1]?.end();
    expect(await Promise.all(long)).toHaveLength(5_000);
  });
});
