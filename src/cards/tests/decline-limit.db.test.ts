import { afterEach, describe, expect, it } from 'vitest';
import { testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { errorBody, normalizeError } from '#tools/testing/normalize.ts';
import { add, attachedAt, intentsOf, remove, shownCards, statesOf, tokenOf } from './support.ts';

const quotas = { LIMIT_REQUESTS_PER_MINUTE: '100000' };
const service = await testService(quotas);
const tooManyDeclines = errorBody('too_many_declines', 'Too many declined cards. Try again later.');
const tooManyNewCards = errorBody('too_many_new_cards', 'Too many new cards. Try again later.');
const sentTo = async (operation: string) =>
  (await service.control(`GET requests?operation=${operation}`)).data;
const declinedToken = () => tokenOf(service, '4000000000000002');

async function expectRefused(customer: TestCustomer, token: string, problem: object): Promise<void> {
  const { status, headers, json } = await add(customer, token);
  expect([status, normalizeError(json)]).toEqual([429, problem]);
  const retryAfter = Number(headers.get('retry-after'));
  expect(retryAfter > 3_500 && retryAfter <= 3_600).toBe(true);
}

describe('addCard, limit of declined cards', () => {
  it('lets at most 20 of 200 concurrent declined tokens reach the provider', async () => {
    const customer = await newCustomer(service.db);
    const tokens: string[] = [];
    for (let n = 0; n < 200; n += 1) tokens.push(await declinedToken());
    await service.control('DELETE requests');
    const responses = await Promise.all(tokens.map((token) => add(customer, token)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(180);
    expect(statuses.filter((status) => status !== 429 && status !== 200)).toEqual([]);
    for (const operation of ['paymentMethods.create', 'setupIntents.create'])
      expect((await sentTo(operation)).length).toBeLessThanOrEqual(20);
    // Nothing of the refused tokens is left.
    expect(await statesOf(service, customer)).toHaveLength(
      statuses.filter((status) => status === 200).length,
    );
  });

  it('counts a token that is posted 100 times once', async () => {
    const customer = await newCustomer(service.db);
    const token = await declinedToken();
    const texts = new Set<string>();
    for (let n = 0; n < 100; n += 1) texts.add((await add(customer, token)).text);
    expect(texts.size).toBe(1);
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
    expect(await intentsOf(service, customer)).toBe(2);
  });
});

describe('addCard, with a limit of 2 declined and 5 new cards', () => {
  const restart = () =>
    service.restart({ ...quotas, LIMIT_DECLINES_PER_HOUR: '2', LIMIT_NEW_CARDS_PER_HOUR: '5' });
  afterEach(() => service.control('DELETE faults'));

  it('returns 429 after 2 declines, and the outcomes of tokens posted before', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    const added = await add(customer, 'tok_visa');
    const declined = await add(customer, 'tok_chargeDeclined');
    await add(customer, 'tok_chargeDeclinedInsufficientFunds');
    await expectRefused(customer, 'tok_mastercard', tooManyDeclines);
    expect((await add(customer, 'tok_visa')).text).toBe(added.text);
    expect((await add(customer, 'tok_chargeDeclined')).text).toBe(declined.text);
    expect((await remove(customer, added.json.card?.uuid ?? '')).status).toBe(200);
    expect((await add(await newCustomer(service.db), 'tok_visa')).json.status).toBe(true);
  });

  it('counts cards that were refused after an authentication, each once', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    for (const _ of [1, 2]) {
      const token = await tokenOf(service, '4000000000003220');
      const { json } = await add(customer, token);
      const [setupIntentId] = json.next_action?.client_secret.split('_secret_') ?? [];
      await service.control(`POST setup_intents/${setupIntentId}/complete_action`, { succeeds: false });
      for (const _ of [1, 2]) expect((await add(customer, token)).json.code).toBe('authentication_failed');
    }
    await expectRefused(customer, 'tok_visa', tooManyDeclines);
    await service.sql`update limit_counts set points = points - 1 where key = ${`declines:${customer.id}`}`;
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
  });

  it('does not count cards that were not declined, and failures of the provider', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    for (const token of ['tok_visa', 'tok_mastercard', 'pm_card_visa']) await add(customer, token);
    expect((await add(customer, 'tok_1234567890abcdef')).status).toBe(400);
    await service.control('POST faults', { operation: 'setupIntents.create', kind: '429', times: 5 });
    for (let n = 0; n < 3; n += 1) expect((await add(customer, 'tok_amex')).status).toBe(424);
    await service.control('DELETE faults');
    expect((await add(customer, 'tok_amex')).json.status).toBe(true);
    expect(await shownCards(customer)).toHaveLength(3);
  });

  it('returns 429 after 5 new tokens, whatever their outcome, without asking the provider', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    for (const token of ['tok_visa', 'tok_mastercard', 'tok_amex', 'tok_discover', 'tok_chargeDeclined'])
      expect((await add(customer, token)).status).toBe(200);
    await expectRefused(customer, 'tok_jcb', tooManyNewCards);
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
    expect(await attachedAt(service, customer)).toHaveLength(4);
    expect(await statesOf(service, customer)).toHaveLength(5);
  });

  it('returns 429 for a pending card too, which continues after the hour', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    await service.control('POST faults', { operation: 'setupIntents.create', kind: '429', times: 5 });
    expect((await add(customer, 'tok_visa')).status).toBe(424);
    await service.control('DELETE faults');
    for (const token of ['tok_chargeDeclined', 'tok_chargeDeclinedInsufficientFunds'])
      await add(customer, token);
    await expectRefused(customer, 'tok_visa', tooManyDeclines);
    expect(await statesOf(service, customer)).toEqual(['failed', 'failed', 'pending']);
    await service.sql`update limit_counts set expire = now() where key like ${`%:${customer.id}`}`;
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
  });

  it('starts again after an hour, also when a process was killed before it gave a point back', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_chargeDeclined');
    await service.sql`update limit_counts set points = 99 where key like ${`%:${customer.id}`}`;
    await expectRefused(customer, 'tok_visa', tooManyDeclines);
    await service.sql`update limit_counts set expire = now() where key like ${`%:${customer.id}`}`;
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
  });
});
