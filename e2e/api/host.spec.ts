import { errorBody, normalizeError } from '#tools/testing/normalize.ts';
import { expect, test } from '../support/fixtures.ts';

const PREFIXES = ['/schedule/v1', '/api/schedule/v1', '/api/v1'];

test('getCustomer: returns the same response at all three path prefixes', async ({ api, customer }) => {
  const responses = await Promise.all(
    PREFIXES.map((prefix) => api('GET', `${prefix}/customers/detail`, { as: customer })),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect(responses[0]?.json).toMatchObject({ customer: { username: customer.username } });
});

for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
  for (const path of ['/customers/detail/', '/customers', '/nothing', '', '/customers/detail/x']) {
    test(`returns 404 as JSON for ${method} of the unknown path "${path}"`, async ({ api, customer }) => {
      for (const prefix of PREFIXES) {
        const response = await api(method, `${prefix}${path}`, { as: customer });
        expect(response.status).toBe(404);
        expect(normalizeError(response.json)).toEqual(
          errorBody('not_found', 'No endpoint matches this URL.'),
        );
      }
    });
  }
}

test('client address: ignores a forged X-Forwarded-For', async ({ api, customer }) => {
  const forged = { 'X-Forwarded-For': '6.6.6.6', 'X-Real-IP': '6.6.6.6', Forwarded: 'for=6.6.6.6' };
  const response = await api('GET', '/schedule/v1/customers/detail', { as: customer, headers: forged });
  expect(response.json).toMatchObject({ customer: { client_ip: '127.0.0.1' } });
});
