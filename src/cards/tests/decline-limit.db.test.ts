import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { services } from '#src/api/services.ts';
import { addCard } from '#src/cards/add-card.ts';
import { findRecentAdditions } from '#src/cards/addition-queries.ts';
import { applyEvent } from '#src/cards/apply-event.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { errorBody, normalizeError } from '#tools/testing/normalize.ts';
import {
  add,
  attachedAt,
  endChallenge,
  injectFault,
  intentsOf,
  leaseRunsOut,
  remove,
  shownCards,
  statesOf,
  tokenOf,
} from './support.ts';

const quotas = { LIMIT_REQUESTS_PER_MINUTE: '100000' };
const service = await testService(quotas);
const tooManyDeclines = errorBody('too_many_declines', 'Too many declined cards. Try again later.');
const tooManyNewCards = errorBody('too_many_new_cards', 'Too many new cards. Try again later.');
type Wait = () => void;
const declinedToken = () => tokenOf(service, '4000000000000002');

/** @returns the response's Retry-After */
async function expectRefused(customer: TestCustomer, token: string, problem: object): Promise<number> {
  const { status, headers, json } = await add(customer, token);
  expect([status, normalizeError(json)]).toEqual([429, problem]);
  return Number(headers.get('retry-after'));
}

const anHourLater = ({ id }: TestCustomer) =>
  service.sql`
    update cards set updated_at = (updated_at at time zone 'utc' - interval '1 hour') at time zone 'utc'
    where customer_id = ${id}`;

async function expectRefusedForAnHour(customer: TestCustomer, problem: object): Promise<void> {
  const retryAfter = await expectRefused(customer, 'tok_jcb', problem);
  expect(retryAfter > 3_500 && retryAfter <= 3_600).toBe(true);
}

describe('addCard, limit of declined cards', () => {
  it('accepts 20 concurrent tokens', async () => {
    const customer = await newCustomer(service.db);
    const tokens = await Promise.all(Array.from({ length: 20 }, declinedToken));
    const responses = await Promise.all(tokens.map((token) => add(customer, token)));
    expect(responses.map(({ json }) => json.code)).toEqual(tokens.map(() => 'card_declined'));
    await expectRefusedForAnHour(customer, tooManyDeclines);
  });

  it.each([
    ['all at once, as after a stall', (waiting: Wait[]) => waiting.splice(0)],
    ['one by one', (waiting: Wait[]) => waiting.splice(0, 1)],
    ['one by one, the last first', (waiting: Wait[]) => waiting.splice(-1)],
  ])('refuses 5 of 25 concurrent tokens that look again %s', async (_, nextOf) => {
    const customer = await newCustomer(service.db);
    const tokens = await Promise.all(Array.from({ length: 25 }, declinedToken));
    const waiting: Wait[] = [];
    const wait = () => new Promise<never>((resolve) => waiting.push(resolve as Wait));
    const timer = vi.spyOn(timers, 'setTimeout').mockImplementation(wait);
    syncBuiltinESMExports();
    try {
      const statuses: number[] = [];
      const added = tokens.map(async (token) => statuses.push((await add(customer, token)).status));
      while (statuses.length < 25) {
        await expect.poll(() => waiting.length + statuses.length, { interval: 5 }).toBe(25);
        for (const lookAgain of nextOf(waiting)) lookAgain();
      }
      await Promise.all(added);
      expect(statuses.toSorted()).toEqual([...Array(20).fill(200), ...Array(5).fill(429)]);
    } finally {
      timer.mockRestore();
      syncBuiltinESMExports();
    }
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
    await expectRefusedForAnHour(customer, tooManyDeclines);
    expect((await add(customer, 'tok_visa')).text).toBe(added.text);
    expect((await add(customer, 'tok_chargeDeclined')).text).toBe(declined.text);
    expect((await remove(customer, added.json.card?.uuid ?? '')).status).toBe(200);
    expect((await add(await newCustomer(service.db), 'tok_visa')).json.status).toBe(true);
  });

  it.each([
    ['expired_card', 'tok_chargeDeclinedExpiredCard'],
    ['incorrect_cvc', 'tok_chargeDeclinedIncorrectCvc'],
    ['processing_error', 'tok_chargeDeclinedProcessingError'],
  ])('counts a decline for %s', async (code, token) => {
    await restart();
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_chargeDeclined');
    expect((await add(customer, token)).json.code).toBe(code);
    await expectRefusedForAnHour(customer, tooManyDeclines);
  });

  it('counts a decline once, whether a request, an event, or the completer finds it', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    const token = await tokenOf(service, '4000000000003220');
    const { setupIntentId } = await add(customer, token);
    await endChallenge(service, setupIntentId, 'rejected');
    const type = 'setup_intent.setup_failed';
    const found = await Promise.all([
      add(customer, token),
      add(customer, token),
      applyEvent(services(), { id: 'evt_declined', type, objectId: setupIntentId }),
    ]);
    expect(found[0].json.code).toBe('authentication_failed');
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);

    await injectFault(service, 'setupIntents.create', 'drop_after_commit');
    expect((await add(customer, 'tok_chargeDeclined')).status).toBe(424);
    await leaseRunsOut(service);
    await completeCards(services());
    await expectRefusedForAnHour(customer, tooManyDeclines);
  });

  it('returns 429 for a few seconds while other cards that may be declined are checked', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_chargeDeclined');
    await service.sql`insert into cards (customer_id, state, token_hash, lease_until)
      values (${customer.id}, 'pending', 'checked', now() + interval '20 seconds')`;
    expect(await expectRefused(customer, 'tok_visa', tooManyDeclines)).toBe(2);
    await service.sql`update cards set lease_until = null where customer_id = ${customer.id}`;
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
  });

  it('counts cards at their banks, for an hour', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    for (const number of ['4000000000003220', '4000002760003184'])
      expect((await add(customer, await tokenOf(service, number))).json.code).toBe('authentication_required');
    await expectRefusedForAnHour(customer, tooManyDeclines);
    await anHourLater(customer);
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
  });

  it('counts a decline for an hour also when its setup intent is canceled later', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    await injectFault(service, 'setupIntents.cancel', '500', 100);
    for (const number of ['4000000000003220', '4000002760003184']) {
      const token = await tokenOf(service, number);
      const { setupIntentId } = await add(customer, token);
      await endChallenge(service, setupIntentId, 'rejected');
      expect((await add(customer, token)).json.code).toBe('authentication_failed');
    }
    expect(await statesOf(service, customer)).toEqual(['removing', 'removing']);
    await service.control('DELETE faults');
    await anHourLater(customer);
    await leaseRunsOut(service);
    await completeCards(services());
    expect(await statesOf(service, customer)).toEqual(['failed', 'failed']);
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
  });

  it('returns the outcome of a token that another worker declines meanwhile', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    for (const token of ['tok_chargeDeclined', 'tok_visa']) await add(customer, token);
    const token = await declinedToken();
    const input = { customerId: customer.id, token, card: {} };
    const taken = async () => {
      await leaseRunsOut(service);
      expect((await add(customer, token)).json.code).toBe('card_declined');
      throw new Error('The limit is reached.');
    };
    expect(await addCard(services(), input, taken)).toMatchObject({ failure: 'card_declined' });
  });

  it('does not count cards that were not declined, and failures of the provider', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    for (const token of ['tok_visa', 'tok_mastercard', 'pm_card_visa']) await add(customer, token);
    expect((await add(customer, 'tok_1234567890abcdef')).status).toBe(400);
    await injectFault(service, 'setupIntents.create', '429', 5);
    for (let n = 0; n < 3; n += 1) expect((await add(customer, 'tok_amex')).status).toBe(424);
    await service.control('DELETE faults');
    expect((await add(customer, 'tok_amex')).json.status).toBe(true);
    expect(await shownCards(customer)).toHaveLength(3);
  });

  it('does not count a card that no bank declined, whatever the reason', async () => {
    const { id } = await newCustomer(service.db);
    const fail = (...reasons: string[]) =>
      service.sql`
        insert into cards (customer_id, state, token_hash, failure_code)
        select ${id}, 'failed', sha256(reason::bytea), reason from unnest(${reasons}::text[]) reason`;
    await fail('token_invalid', 'abandoned', 'authentication_expired', 'provider_refused', 'provider_failed');
    await fail('card_already_added', 'card_limit_reached');
    const max = { declines: 2, additions: 60 };
    const none = { count: 0, secondsLeft: null };
    expect(await findRecentAdditions(service.web, id, max)).toMatchObject({ declines: none, inProgress: [] });
    await fail('lost_card');
    expect((await findRecentAdditions(service.web, id, max)).declines.count).toBe(1);
  });

  it('does not count cards in progress whose instance has died, when they would fill a limit', async () => {
    const { id } = await newCustomer(service.db);
    await service.sql`
      insert into cards (customer_id, state, token_hash, failure_code) values (${id}, 'failed', 'lost', 'lost_card')`;
    await service.sql`
      insert into cards (customer_id, state, token_hash, lease_until, leased_by)
      values (${id}, 'pending', 'gone 1', now() + interval '20 seconds', 1),
        (${id}, 'pending', 'gone 2', now() + interval '20 seconds', 1),
        (${id}, 'pending', 'alive', now() + interval '20 seconds', null)`;
    const inProgress = async (declines: number, additions: number) =>
      (await findRecentAdditions(service.web, id, { declines, additions })).inProgress.length;
    expect(await inProgress(3, 60)).toBe(1);
    expect(await inProgress(60, 3)).toBe(1);
    expect(await inProgress(4, 4)).toBe(3);
  });

  it('returns 429 after 5 new tokens, whatever their outcome, without asking the provider', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    for (const token of ['tok_visa', 'tok_mastercard', 'tok_amex', 'tok_discover', 'tok_chargeDeclined'])
      expect((await add(customer, token)).status).toBe(200);
    await expectRefusedForAnHour(customer, tooManyNewCards);
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
    expect(await attachedAt(service, customer)).toHaveLength(4);
    expect(await statesOf(service, customer)).toHaveLength(5);
  });

  it('returns 429 for a few seconds while 5 other new cards are checked', async () => {
    // With 2 declines, that limit would come first.
    await service.restart({ ...quotas, LIMIT_NEW_CARDS_PER_HOUR: '5', LIMIT_DECLINES_PER_HOUR: '100' });
    const customer = await newCustomer(service.db);
    await service.sql`insert into cards (customer_id, state, token_hash, lease_until)
      select ${customer.id}, 'pending', sha256(n::text::bytea), now() + interval '20 seconds' from generate_series(1, 5) n`;
    expect(await expectRefused(customer, 'tok_visa', tooManyNewCards)).toBe(2);
  });

  it('accepts a new token when one of the 5 is an hour old', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    const age = (minutes: number) => service.sql`
      update cards set created_at = (created_at at time zone 'utc' - make_interval(mins => ${minutes})) at time zone 'utc'
      where customer_id = ${customer.id}`;
    await add(customer, 'tok_visa');
    await age(20);
    for (const token of ['tok_mastercard', 'tok_amex', 'tok_discover', 'tok_diners'])
      expect((await add(customer, token)).status).toBe(200);
    const retryAfter = await expectRefused(customer, 'tok_jcb', tooManyNewCards);
    expect(retryAfter > 2_300 && retryAfter <= 2_400).toBe(true);
    await age(40);
    expect((await add(customer, 'tok_jcb')).json.status).toBe(true);
  });

  it('returns 429 for a pending card too, which continues after the hour', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    await injectFault(service, 'setupIntents.create', '429', 5);
    expect((await add(customer, 'tok_visa')).status).toBe(424);
    await service.control('DELETE faults');
    for (const token of ['tok_chargeDeclined', 'tok_chargeDeclinedInsufficientFunds'])
      await add(customer, token);
    await expectRefused(customer, 'tok_visa', tooManyDeclines);
    expect(await statesOf(service, customer)).toEqual(['failed', 'failed', 'pending']);
    await anHourLater(customer);
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
  });

  it('does not count declines dated in the future, after the clock of the database was set back', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_chargeDeclined');
    await add(customer, 'tok_chargeDeclinedInsufficientFunds');
    await expectRefusedForAnHour(customer, tooManyDeclines);
    await service.sql`
      update cards set updated_at = (updated_at at time zone 'utc' + interval '2 hours') at time zone 'utc'
      where customer_id = ${customer.id}`;
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
  });

  it('accepts a card when one of the declines is an hour old', async () => {
    await restart();
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_chargeDeclined');
    await service.sql`
      update cards set updated_at = (updated_at at time zone 'utc' - interval '20 minutes') at time zone 'utc'`;
    await add(customer, 'tok_chargeDeclinedInsufficientFunds');
    const retryAfter = await expectRefused(customer, 'tok_visa', tooManyDeclines);
    expect(retryAfter > 2_300 && retryAfter <= 2_400).toBe(true);
    await service.sql`
      update cards set updated_at = (updated_at at time zone 'utc' - interval '40 minutes') at time zone 'utc'`;
    expect((await add(customer, 'tok_visa')).json.status).toBe(true);
  });
});
