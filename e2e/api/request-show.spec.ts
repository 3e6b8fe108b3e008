import { eq } from 'drizzle-orm';
import { customers } from '#db/schema/index.ts';
import { expect, test } from '../fixtures.ts';
import { linesOf } from '../request-lines.ts';

test('the id on any answer finds its line in the log', async ({ api, customer }) => {
  const detail = '/schedule/v1/customers/detail';
  const cards = '/api/schedule/v1/payment/cards';
  const wrong = { ...customer, apiSecret: 'secret_test_wrong' };
  const answers = {
    read: await api('GET', detail, { as: customer }),
    refused: await api('GET', detail, { as: wrong }),
    added: await api('POST', cards, { as: customer, body: { token: 'tok_visa', card: {} } }),
    elsewhere: await api('GET', `${detail}/x`),
    unreadable: await api('GET', detail, { headers: { Host: 'not a host' } }),
  };
  const found = async ({ headers }: (typeof answers)['read']) => linesOf(headers['x-request-id']);
  expect(await found(answers.read)).toMatchObject([
    { operation: 'customers.detail', method: 'GET', status: 200, customerId: customer.id },
  ]);
  expect(await found(answers.refused)).toMatchObject([
    { operation: 'customers.detail', status: 403, customerId: customer.id, elapsedMs: expect.any(Number) },
  ]);
  expect(await found(answers.added)).toMatchObject([
    {
      operation: 'cards.add',
      status: 200,
      elapsedMs: expect.any(Number),
      provider: expect.arrayContaining([
        expect.objectContaining({ requestId: expect.stringMatching(/^req_/) }),
      ]),
    },
  ]);
  expect(await found(answers.elsewhere)).toMatchObject([{ operation: 'not_found', status: 404 }]);
  expect(await found(answers.unreadable)).toMatchObject([{ operation: 'request_unreadable', status: 400 }]);
});

test('the line says which customer, where nothing was sent anew, a card is removed or the account is disabled', async ({
  api,
  customer,
  db,
}) => {
  const detail = '/schedule/v1/customers/detail';
  const read = await api('GET', detail, { as: customer });
  const headers = { 'If-None-Match': read.headers.etag ?? '' };
  const unchanged = await api('GET', detail, { as: customer, headers });
  const removed = await api('DELETE', '/api/schedule/v1/payment/cards/999999999', { as: customer });
  await db.update(customers).set({ status: 'Suspended' }).where(eq(customers.id, customer.id));
  const disabled = await api('GET', detail, { as: customer });
  const said = async ({ headers }: typeof read) => {
    const lines = await linesOf(headers['x-request-id']);
    return lines.map((line) => [line.operation, line.method, line.status, line.customerId]);
  };
  expect(await said(unchanged)).toEqual([['customers.detail', 'GET', 304, customer.id]]);
  expect(await said(removed)).toEqual([['cards.remove', 'DELETE', 404, customer.id]]);
  expect(await said(disabled)).toEqual([['customers.detail', 'GET', 403, customer.id]]);
});
