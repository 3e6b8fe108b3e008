import { expect, onTestFinished, test } from 'vitest';
import { testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { add, attachedAt, intentsOf, requestsTo, shownCards, statesOf, tokenOf } from './support.ts';

const quotas = { LIMIT_REQUESTS_PER_MINUTE: '100000' };
const service = await testService(quotas);
const callers = 500;

for (const [name, headers] of [
  ['one key', { 'Idempotency-Key': 'one' }],
  ['one token and no key', {}],
] as const) {
  test(`addCard: ${callers} concurrent requests with ${name} add one card and get the same response, or 409 or 503`, async () => {
    const customer = await newCustomer(service.db);
    const token = await tokenOf(service);
    const send = () => add(customer, token, headers);
    const responses = await Promise.all(Array.from({ length: callers }, send));
    // On a busy machine, statements of so many callers time out, even those of the request that adds the card.
    const sendAgain = async () => {
      const response = await send();
      responses.push(response);
      return response.status;
    };
    await expect.poll(sendAgain).toBe(200);
    for (const { status, headers: received } of responses.filter(({ status }) => status !== 200)) {
      expect([409, 503]).toContain(status);
      expect(Number(received.get('retry-after'))).toBeGreaterThan(0);
    }
    const bodies = responses.filter(({ status }) => status === 200).map(({ text }) => text);
    expect(new Set(bodies).size).toBe(1);
    expect(await shownCards(customer)).toHaveLength(1);
    expect(await attachedAt(service, customer)).toHaveLength(1);
    expect(await intentsOf(service, customer)).toBe(1);
  });
}

/** Posts all tokens at once. @returns how many requests got 200; all others got 429 */
async function countPassed(customer: TestCustomer, tokens: string[]): Promise<number> {
  const atOnce = await Promise.all(tokens.map((token) => add(customer, token)));
  const statuses = atOnce.map(({ status }) => status);
  // On a busy machine, statements of so many callers time out. As clients do, the test sends these tokens again.
  for (const [index, token] of tokens.entries()) {
    while ([409, 503].includes(statuses[index] ?? 0)) statuses[index] = (await add(customer, token)).status;
  }
  const countOf = (one: number) => statuses.filter((status) => status === one).length;
  expect(countOf(200) + countOf(429)).toBe(tokens.length);
  expect(countOf(200)).toBeGreaterThan(0);
  return countOf(200);
}

test('addCard: lets at most 20 of 200 concurrent declined tokens reach the provider', async () => {
  const customer = await newCustomer(service.db);
  const tokens: string[] = [];
  for (let n = 0; n < 200; n += 1) tokens.push(await tokenOf(service, '4000000000000002'));
  await service.control('DELETE requests');
  const declined = await countPassed(customer, tokens);
  expect(declined).toBeLessThanOrEqual(20);
  for (const operation of ['paymentMethods.create', 'setupIntents.create']) {
    const requests = await requestsTo(service, operation);
    const keys = requests.map(({ headers }) => (headers as Record<string, string>)['idempotency-key']);
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBeLessThanOrEqual(20);
  }
  // Of the refused tokens, nothing is left but claims of requests that timed out, which do not count as declined.
  const ended = await service.sql`
    select from cards where customer_id = ${customer.id} and state <> 'pending' and failure_code is distinct from 'abandoned'`;
  expect(ended).toHaveLength(declined);
});

test('addCard: lets at most 5 of 50 concurrent new tokens pass', async () => {
  await service.restart({ ...quotas, LIMIT_NEW_CARDS_PER_HOUR: '5', LIMIT_DECLINES_PER_HOUR: '100' });
  onTestFinished(async () => void (await service.restart()));
  const customer = await newCustomer(service.db);
  const tokens = await Promise.all(Array.from({ length: 50 }, () => tokenOf(service)));
  const added = await countPassed(customer, tokens);
  expect(added).toBeLessThanOrEqual(5);
  // Claims of requests that timed out can be left here too.
  const ended = (await statesOf(service, customer)).filter((state) => state !== 'pending');
  expect(ended).toHaveLength(added);
});
