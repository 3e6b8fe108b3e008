import { expect, test } from 'vitest';
import { addCard } from '#src/api/operations/add-card.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { newToken } from '#src/tokens.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';

const service = await testService({
  LIMIT_REQUESTS_PER_MINUTE: '5',
  LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: '3',
  LIMIT_FAILED_AUTH_PER_ADDRESS: '20',
  LIMIT_DECLINES_PER_HOUR: '2',
});

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

test('rate limit: returns 429 after the quota, with RateLimit headers in every response', async () => {
  const customer = await newCustomer(service.db);
  for (const left of [4, 3, 2, 1, 0]) {
    const response = await call(getCustomer, customer);
    expect(response.status).toBe(200);
    expect(response.headers.get('ratelimit-policy')).toBe('"requests";q=5;w=60');
    expect(response.headers.get('ratelimit')).toMatch(new RegExp(`^"requests";r=${left};t=\\d+$`));
  }
  const over = await call(getCustomer, customer);
  expect([over.status, over.json]).toEqual([
    429,
    { error: { code: 429, message: 'Too many requests. Try again later.' } },
  ]);
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(over.headers.get('ratelimit')).toContain('r=0');
  // Nobody uses up another's budget by knowing the key.
  const other = await newCustomer(service.db);
  for (let n = 0; n < 10; n++) await call(getCustomer, { ...other, apiSecret: 'x' }, from(`10.9.0.${n}`));
  expect((await call(getCustomer, other)).status).toBe(200);
});

test('rate limit: returns 429 after failed authentications per key and address, and valid credentials still work', async () => {
  const customer = await newCustomer(service.db);
  const wrong = { ...customer, apiSecret: newToken('secret', 'test') };
  for (let n = 0; n < 3; n++) expect((await call(getCustomer, wrong, from('10.0.0.1'))).status).toBe(403);
  const refused = await call(getCustomer, wrong, from('10.0.0.1'));
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await call(getCustomer, customer, from('10.0.0.1'))).status, 'the right pair').toBe(200);
  expect((await call(getCustomer, customer, from('10.0.0.2'))).status).toBe(200);
});

test('rate limit: returns 429 after failed authentications per address, for any key', async () => {
  const statuses = new Set<number>();
  for (let n = 0; n < 25; n++) {
    statuses.add(
      (await call(getCustomer, { apiKey: newToken('key', 'test'), apiSecret: 'x' }, from('10.0.1.1'))).status,
    );
  }
  expect([...statuses]).toEqual([403, 429]);
});

test('addCard: returns 429 after too many declines per customer', async () => {
  const customer = await newCustomer(service.db);
  const add = (token: string) => call(addCard, customer, { body: { token, card: {} } });
  expect((await add('tok_chargeDeclined')).json).toMatchObject({ status: false });
  expect((await add('tok_chargeDeclinedInsufficientFunds')).json).toMatchObject({ status: false });
  const refused = await add('tok_visa');
  expect([refused.status, refused.json]).toEqual([
    429,
    { error: { code: 429, message: 'Too many declined cards. Try again later.' } },
  ]);
});
