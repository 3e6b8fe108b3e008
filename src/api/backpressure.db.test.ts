import postgres from 'postgres';
import { expect, test } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { getPayout } from '#src/api/operations/get-payout.ts';
import { services } from '#src/api/services.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';

const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: '100000' });

test('backpressure: returns 503 above the concurrency limit, serves accepted requests, and recovers', async () => {
  const customer = await newCustomer(service.db);
  expect((await call(getCustomer, customer)).status).toBe(200);
  const owner = postgres(service.ownerUrl, { max: 1, onnotice: () => {} });
  const accepted: Promise<number>[] = [];
  try {
    await owner.begin(async (locked) => {
      // The database does not respond for a while.
      await locked.unsafe('LOCK TABLE customers IN ACCESS EXCLUSIVE MODE');
      while (!services().isReadQueueFull()) {
        accepted.push(call(getCustomer, customer).then(({ status }) => status));
        await new Promise((resolve) => setImmediate(resolve));
      }
      accepted.push(
        call(getCustomer, customer, { headers: { 'X-Forwarded-For': '192.0.2.9' } }).then(
          ({ status }) => status,
        ),
      );
      expect(accepted.length).toBeGreaterThan(100);
      expect(accepted.length).toBeLessThan(1000);
      for (const operation of [getCustomer, getPayout]) {
        const refused = await call(operation, customer);
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
        expect(refused.json).toMatchObject({ error: { code: 503, type: 'unavailable' } });
        expect(refused.headers.get('x-request-id')).toBeTruthy();
      }
    });
    expect(new Set(await Promise.all(accepted))).toEqual(new Set([200]));
    expect((await call(getCustomer, customer)).status).toBe(200);
  } finally {
    await owner.end();
  }
});
