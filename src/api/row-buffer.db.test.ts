import { expect, test, vi } from 'vitest';
import type { Database } from '#db/client.ts';
import { apiRequests } from '#db/schema.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { fakeTimers, timerCount } from '#tools/testing/fake-timers.ts';
import { createRowBuffer } from './row-buffer.ts';

const { db, web, sql } = await testDatabase();

function newBuffer() {
  const warn = vi.fn();
  return { ...createRowBuffer(web, { warn }, apiRequests), warn };
}

const rowOf = (customerId: number) => ({
  ...{ customerId, at: new Date(), operation: 'getCustomer', status: 200 },
  ...{ elapsedMs: 1.5, requestId: 'request-1' },
});

async function rowsOf(customerId: number): Promise<number> {
  return (await sql`select from api_requests where customer_id = ${customerId}`).length;
}

test('row buffer: leaves out the rows beyond 1,000 in a second', async () => {
  const { id } = await newCustomer(db);
  const buffer = newBuffer();
  for (let count = 0; count < 1_002; count += 1) buffer.add(rowOf(id));
  await buffer.flush();
  expect(await rowsOf(id)).toBe(1_000);
  buffer.add(rowOf(id));
  await buffer.flush();
  expect(await rowsOf(id)).toBe(1_001);
});

test('row buffer: logs that rows could not be stored, and stores the next ones', async () => {
  const { id } = await newCustomer(db);
  const buffer = newBuffer();
  buffer.add(rowOf(-1));
  await buffer.flush();
  expect(buffer.warn.mock.calls).toEqual([
    [{ error: expect.any(Error) }, 'Rows of api_requests could not be stored.'],
  ]);
  buffer.add(rowOf(id));
  await buffer.flush();
  expect(await rowsOf(id)).toBe(1);
});

test('row buffer: stores the rows of a second in one statement, after it', async () => {
  fakeTimers();
  const execute = vi.fn(async () => []);
  const buffer = createRowBuffer({ execute } as unknown as Database, { warn: vi.fn() }, apiRequests);
  for (let count = 0; count < 3; count += 1) buffer.add(rowOf(1));
  vi.advanceTimersByTime(999);
  expect(execute).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(execute).toHaveBeenCalledTimes(1);
  buffer.add(rowOf(1));
  await buffer.flush();
  expect(timerCount('row-buffer.ts')).toBe(0);
  await buffer.flush();
  expect(execute).toHaveBeenCalledTimes(2);
});
