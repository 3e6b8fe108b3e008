import { expect, onTestFinished, test, vi } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { refusalOfRequest } from '#src/api/rate-limits.ts';
import { services } from '#src/api/services.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { expectSharedQuota, startQuotaProcesses } from '#tools/testing/quota-processes.ts';

const service = await testService({ QUOTA_STORE: 'database', METRICS_PORT: '1' });
const start = (store: string) => startQuotaProcesses(service, store);

test('QUOTA_STORE=memory: each process counts by itself', async () => {
  const { remaining } = start('memory');
  expect([await remaining(1), await remaining(1)]).toEqual([
    [9, 9],
    [8, 8],
  ]);
});

test('QUOTA_STORE=database: processes count requests and sign-ins together', async () => {
  const processes = start('database');
  await expectSharedQuota(processes);
  const counters = await service.sql`select key from limit_counts order by key`;
  expect(counters.map(({ key }) => key)).toEqual(['requests:1', 'requests:2', 'sign-ins:1']);
  await service.sql`update limit_counts set expire = now() where key = 'requests:1'`;
  expect(await processes.remaining(1)).toEqual([9, 8]);
});

test('QUOTA_STORE=database: while its rows are locked, each process counts by itself, and then together again', async () => {
  const { remaining, outages, fallbacks } = start('database');
  expect(await remaining(3)).toEqual([9, 8]);
  await service.sql.begin(async (transaction) => {
    await transaction`lock table limit_counts in exclusive mode`;
    expect([await remaining(3), await remaining(3)]).toEqual([
      [9, 9],
      [8, 8],
    ]);
  });
  expect(fallbacks()).toBe(4);
  await expect.poll(outages).toEqual({ begun: 2, ended: 2 });
  expect(await remaining(4)).toEqual([9, 8]);
});

test('QUOTA_STORE=database: requests are counted in it, and are served while they cannot be', async () => {
  const customer = await newCustomer(service.db);
  const count = async () => {
    expect((await call(getCustomer, customer)).status).toBe(200);
    return service.sql`select from limit_counts where key = ${`requests:${customer.id}`} and points > 0`;
  };
  await expect.poll(count).toHaveLength(1);
  const fallbacks = async () => (await services().metrics?.quotaFallbacks.get())?.values[0]?.value ?? 0;
  const before = await fallbacks();
  await service.sql.begin(async (transaction) => {
    await transaction`lock table limit_counts in exclusive mode`;
    expect((await call(getCustomer, customer)).headers.get('ratelimit')).toMatch(/^"requests";r=\d+;t=\d+$/);
  });
  expect(await fallbacks()).toBe(before + 1);
});

test('QUOTA_STORE=database: pages are refused until the minute is over, whatever the clock of the process shows', async () => {
  const { first, remaining } = startQuotaProcesses(service, 'database');
  for (let n = 0; n < 6; n += 1) await remaining(5);
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const realMs = Date.now();
  for (const stepMs of [-3_600_000, 0, 3_600_000]) {
    vi.setSystemTime(realMs + stepMs);
    const refusal = await refusalOfRequest(first, 5);
    expect(refusal).toMatchObject({ code: 'too_many_requests' });
    expect(Number(refusal?.headers['Retry-After'])).toBeLessThanOrEqual(60);
  }
  await service.sql`update limit_counts set expire = now() where key = 'requests:5'`;
  vi.setSystemTime(realMs - 3_600_000);
  expect(await refusalOfRequest(first, 5)).toBeNull();
});
