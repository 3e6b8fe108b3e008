import postgres from 'postgres';
import { expect, test } from 'vitest';
import * as detail from '#app/api/schedule/v1/customers/detail/route.ts';
import * as payout from '#app/api/schedule/v1/customers/payout/route.ts';
import { readsAreBusy } from '#db/client.ts';
import { call, newCustomer, testService } from '#tools/testing/api.ts';

const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: '100000' });

test('what is too much is refused at once, what was accepted is answered, and then all is well again', async () => {
  const customer = await newCustomer(service);
  expect((await call(detail, 'GET', customer)).status).toBe(200);
  const owner = postgres(service.ownerUrl, { max: 1, onnotice: () => {} });
  const accepted: Promise<number>[] = [];
  try {
    await owner.begin(async (locked) => {
      // A database that answers nobody for a while.
      await locked.unsafe('LOCK TABLE customers IN ACCESS EXCLUSIVE MODE');
      while (!readsAreBusy()) {
        accepted.push(call(detail, 'GET', customer).then(({ status }) => status));
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(accepted.length).toBeGreaterThan(100);
      expect(accepted.length).toBeLessThan(1000);
      for (const resource of [detail, payout]) {
        const refused = await call(resource, 'GET', customer);
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
        expect(refused.json).toMatchObject({ error: { code: 503 } });
        expect(refused.headers.get('x-request-id')).toBeTruthy();
      }
    });
    expect(new Set(await Promise.all(accepted))).toEqual(new Set([200]));
    expect((await call(detail, 'GET', customer)).status).toBe(200);
  } finally {
    await owner.end();
  }
});
