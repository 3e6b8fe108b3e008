import { expect, test } from 'vitest';
import { addCard } from '#src/api/operations/add-card.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { services } from '#src/api/services.ts';
import { openSession } from '#src/api/session.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { call, testService, writtenByService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { add, injectFault, remove, tokenOf } from './support.ts';

const service = await testService({ LOG_LEVEL: 'trace' });

const numbers = ['4242424242424242', '4000000000009987', '378282246310005', '4000002500003155'];

test('leak scan: no card number, token, or secret in the log, the database, or a response', async () => {
  const customer = await newCustomer(service.db);
  const tokens = await Promise.all(numbers.map((number) => tokenOf(service, number)));
  const responses = [];
  for (const token of tokens) {
    responses.push(
      await add(customer, token, {
        'Idempotency-Key': `key of ${token}`,
        'X-Request-Id': '4242424242424242',
      }),
    );
  }
  const failing = await tokenOf(service, '5555555555554444');
  await injectFault(service, '*', '500', 6);
  responses.push(await add(customer, failing));
  await service.control('DELETE faults');
  for (const [index, number] of numbers.entries()) {
    const spaced = number.replace(/(....)/g, '$1 ');
    const body = { token: tokens[index], card: { addressZip: spaced } };
    responses.push(await call(addCard, customer, { body, headers: { 'Idempotency-Key': number } }));
    responses.push(await call(addCard, customer, { body: `{"token":"${number}` }));
    responses.push(await remove(customer, number));
  }
  // An internal error while the whole request is in memory.
  await service.sql`alter table cards rename column last4 to hidden`;
  responses.push(await add(customer, failing), await call(getCustomer, customer));
  expect(responses.slice(-2).map(({ status }) => status)).toEqual([500, 500]);
  await service.sql`alter table cards rename column hidden to last4`;
  responses.push(await call(getCustomer, { ...customer, apiSecret: `${customer.apiSecret}x` }));
  const { value: cookie } = await openSession(services(), { ...customer, address: '10.1.1.1' });
  responses.push(
    await call(getCustomer, null, {
      headers: { Cookie: `session=${cookie}`, 'Sec-Fetch-Site': 'same-origin' },
    }),
  );
  await completeCards(services());

  const written: Record<string, string> = {
    responses: responses.map(({ text, headers }) => text + JSON.stringify([...headers])).join('\n'),
    ...(await writtenByService(service)),
  };
  expect(written.log?.split('\n').length).toBeGreaterThan(responses.length);
  expect(written.customers).toContain(customer.apiKey);
  const secrets = [...numbers, ...tokens, failing, customer.apiSecret, cookie, 'sk_test_', 'whsec_'];
  for (const [source, text] of Object.entries(written)) {
    for (const secret of secrets)
      expect([source, secret, text.includes(secret)]).toEqual([source, secret, false]);
    const digits = text.match(/\b(?:\d[ -]?){13,19}\b/g) ?? [];
    expect([source, digits.filter((run) => numbers.includes(run.replace(/\D/g, '')))]).toEqual([source, []]);
  }
});
