import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { recordRequest } from './requests.ts';
import { Store, type StoredPaymentMethod, type StoredToken } from './store.ts';

test('the newest unattached payment methods and setup attempts are kept, and all attached ones', () => {
  const store = new Store(join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'sandbox.sqlite'));
  store.transaction(() => {
    for (let n = 0; n < 5_100; n += 1) {
      const customer = n < 10 ? 'cus_1' : null;
      const method = { card: 'visa', isDetached: false, object: { id: `pm_${n}`, customer } };
      store.save('payment_method', method as StoredPaymentMethod);
      store.save('setup_attempt', {
        object: { id: `setatt_${n}`, customer: 'cus_1' } as Stripe.SetupAttempt,
      });
    }
    store.trim();
  });
  expect([store.list('payment_method', 'cus_1').length, store.list('payment_method').length]).toEqual([
    10, 5_010,
  ]);
  expect(store.list('setup_attempt')).toHaveLength(5_000);
  expect([store.find('payment_method', 'pm_99'), store.find('setup_attempt', 'setatt_99')]).toEqual([
    undefined,
    undefined,
  ]);
  expect(store.find('payment_method', 'pm_100')).toBeDefined();
});

test('the newest requests and tokens are kept', () => {
  const store = new Store(join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'sandbox.sqlite'));
  const rows = (table: string) =>
    Number(store.database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
  store.transaction(() => {
    for (let n = 0; n < 5_100; n += 1)
      store.save('token', { card: 'visa', object: { id: `tok_${n}` } } as StoredToken);
    for (let n = 0; n < 2_100; n += 1)
      recordRequest(store, {
        id: `req_${n}`,
        at: 0,
        method: 'GET',
        path: '',
        query: '',
        body: '',
        headers: {},
        operation: 'tokens.create',
      });
  });
  expect([rows('requests'), rows('objects')]).toEqual([2_000, 5_000]);
  expect([store.find('token', 'tok_99'), store.find('token', 'tok_100')?.object.id]).toEqual([
    undefined,
    'tok_100',
  ]);
  store.close();
});
