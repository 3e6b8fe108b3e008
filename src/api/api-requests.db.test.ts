import { expect, it } from 'vitest';
import { newToken } from '#src/tokens.ts';
import { call, signIn, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { deleteOldApiRequests, listApiRequests } from './api-requests.ts';
import { getCustomer } from './operations/get-customer.ts';
import { removeCard } from './operations/remove-card.ts';
import { services } from './services.ts';

const perMinute = 5;
const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: String(perMinute) });
const listed = async (id: number, page: { after?: number; limit: number } = { limit: 50 }) => {
  await services().apiRequests.flush();
  return listApiRequests(service.db, id, page);
};

it('lists the authenticated requests of a customer with an API key, latest first', async () => {
  const customer = await newCustomer(service.db);
  const other = await newCustomer(service.db);
  await call(getCustomer, customer, { headers: { 'x-request-id': 'request-0001' } });
  await call(getCustomer, other);
  await call(getCustomer, null, { headers: { cookie: await signIn(customer) } });
  await call(getCustomer, { ...customer, apiSecret: newToken('secret', 'test') });
  await call(removeCard, customer, { params: { uuid: '7' }, headers: { 'x-request-id': 'request-0002' } });
  const { requests, next } = await listed(customer.id);
  expect(requests).toMatchObject([
    { operation: 'removeCard', status: 404, requestId: 'request-0002', at: expect.any(Date) },
    { operation: 'getCustomer', status: 200, requestId: 'request-0001', elapsedMs: expect.any(Number) },
  ]);
  expect(next).toBeNull();
});

it('lists one of the requests over the quota in a minute', async () => {
  const customer = await newCustomer(service.db);
  for (let count = 0; count < perMinute + 3; count += 1) await call(getCustomer, customer);
  const { requests } = await listed(customer.id);
  expect(requests.map(({ status }) => status)).toEqual([429, 200, 200, 200, 200, 200]);
});

it('lists a request over the quota although the dashboard was refused before', async () => {
  const customer = await newCustomer(service.db);
  const cookie = await signIn(customer);
  for (let count = 0; count < perMinute; count += 1) await call(getCustomer, customer);
  expect((await call(getCustomer, null, { headers: { cookie } })).status).toBe(429);
  await call(getCustomer, customer);
  const { requests } = await listed(customer.id);
  expect(requests[0]).toMatchObject({ operation: 'getCustomer', status: 429 });
});

it('pages through the requests, and deletes those that are older than 7 days', async () => {
  const customer = await newCustomer(service.db);
  for (let count = 0; count < perMinute; count += 1) await call(getCustomer, customer);
  const first = await listed(customer.id, { limit: 3 });
  expect(first.requests).toHaveLength(3);
  const second = await listed(customer.id, { limit: 3, after: first.next ?? 0 });
  expect([second.requests.length, second.next]).toEqual([2, null]);
  await service.sql`
    update api_requests set at = now() - interval '7 days 1 second'
    where customer_id = ${customer.id} and id <= ${first.next}`;
  await deleteOldApiRequests(service.db);
  expect((await listed(customer.id)).requests).toHaveLength(2);
});
