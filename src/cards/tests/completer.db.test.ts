import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { cards } from '#db/schema.ts';
import { services } from '#src/api/services.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { retriesMax } from '#src/cards/lease-queries.ts';
import { reconcileCards } from '#src/cards/reconcile-cards.ts';
import { startBackgroundJobs } from '#src/server/background-jobs.ts';
import { testService, writtenByService } from '#tools/testing/api.ts';
import { newCards, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { fakeTimers } from '#tools/testing/fake-timers.ts';
import {
  add,
  attachedAt,
  expectSettled,
  injectFault,
  intentsOf,
  leaseRunsOut,
  remove,
  requestsTo,
  statesOf,
} from './support.ts';

const service = await testService();
const ctx = services();
const fault = (operation: string, kind: string, times = 1_000) =>
  injectFault(service, operation, kind, times);
const rowsOf = ({ id }: TestCustomer) =>
  service.db.select().from(cards).where(eq(cards.customerId, id)).orderBy(cards.id);

describe('completeCards, unfinished card', () => {
  beforeEach(async () => {
    await service.control('DELETE faults');
    await service.control('DELETE requests');
    await service.sql`update cards set state = 'failed' where state in ('pending', 'removing')`;
  });

  it('works on four cards at a time', async () => {
    const customer = await newCustomer(service.db);
    await newCards(service.owner, customer, 5);
    await service.sql`update cards set state = 'removing' where customer_id = ${customer.id}`;
    await leaseRunsOut(service);
    await service.control('POST faults', {
      operation: 'paymentMethods.detach',
      kind: 'slow',
      times: 5,
      delayMs: 9_000,
    });
    const completed = completeCards(ctx);
    const detaching = async () => (await service.control('GET faults')).data.map(({ fired }) => fired);
    await expect.poll(detaching, { interval: 20 }).toEqual([4]);
    expect(await statesOf(service, customer)).toEqual(Array(5).fill('removing'));
    await service.control('DELETE faults');
    await completed;
    expect(await statesOf(service, customer)).toEqual(Array(5).fill('removed'));
  });

  it('fails after a provider 400 that is not about the card', async () => {
    const customer = await newCustomer(service.db);
    await fault('setupIntents.create', '400');
    expect((await add(customer, 'tok_visa')).status).toBe(500);
    expect(await statesOf(service, customer)).toEqual(['failed']);
    await leaseRunsOut(service);
    await completeCards(ctx);
    expect(await requestsTo(service, 'setupIntents.create')).toHaveLength(1);
    expect((await add(customer, 'tok_visa')).json).toMatchObject({ status: false, code: 'processing_error' });
    expect(await attachedAt(service, customer)).toEqual([]);
  });

  it('fails after a provider 400 to the completer without delaying other cards', async () => {
    const [refused, other] = [await newCustomer(service.db), await newCustomer(service.db)];
    await fault('setupIntents.create', '429');
    for (const customer of [refused, other]) expect((await add(customer, 'tok_visa')).status).toBe(424);
    await service.control('DELETE faults');
    await fault('setupIntents.create', '400', 1);
    await expect(completeCards(ctx)).rejects.toMatchObject({ kind: 'misuse' });
    const states = [...(await statesOf(service, refused)), ...(await statesOf(service, other))];
    expect(states.sort()).toEqual(['active', 'failed']);
  });

  it('reports a card that becomes stuck, also when another card fails after a provider 400', async () => {
    for (const customer of [await newCustomer(service.db), await newCustomer(service.db)]) {
      await fault('setupIntents.create', '429');
      expect((await add(customer, 'tok_visa')).status).toBe(424);
      await service.sql`update cards set retries = ${retriesMax - 1} where customer_id = ${customer.id}`;
    }
    await service.control('DELETE faults');
    await fault('setupIntents.create', '400', 1);
    await fault('setupIntents.create', '429');
    const onStuck = vi.fn();
    await expect(completeCards(ctx, { onStuck })).rejects.toMatchObject({ kind: 'misuse' });
    expect(onStuck).toHaveBeenCalledTimes(1);
  });

  it('fails when no card can be claimed', async () => {
    const instanceId = () => {
      throw new Error('The lock was lost.');
    };
    await expect(completeCards({ ...ctx, instanceId })).rejects.toThrow('The lock was lost.');
  });

  it('does not delay the removal of other cards, even with 100 of them', async () => {
    const customer = await newCustomer(service.db);
    const other = await newCustomer(service.db);
    await add(customer, 'tok_mastercard');
    const { json } = await add(other, 'tok_visa');
    await service.sql`
      insert into cards (customer_id, state, token_hash, payment_method_id)
      select ${customer.id}, 'pending', sha256(n::text::bytea), 'pm_' || n from generate_series(1, 100) n`;
    await fault('setupIntents.create', '500');
    await fault('paymentMethods.retrieve', '500');
    await fault('paymentMethods.detach', '500', 1);
    expect((await remove(other, json.card?.uuid ?? '')).status).toBe(200);
    expect(await attachedAt(service, other)).toHaveLength(1);
    await completeCards(ctx);
    expect(await attachedAt(service, other)).toEqual([]);
    expect(await statesOf(service, other)).toEqual(['removed']);
    expect((await statesOf(service, customer)).filter((state) => state === 'pending')).toHaveLength(100);
  });

  it('is retried ten times with backoff and then stays stuck until its token is posted again', async () => {
    const customer = await newCustomer(service.db);
    await fault('setupIntents.create', '429');
    expect((await add(customer, 'tok_visa')).status).toBe(424);
    const stuck: number[] = [];
    for (let retry = 1; retry <= retriesMax; retry++) {
      const [before] = await service.sql`select now()::text as at`;
      await completeCards(ctx, { onStuck: ({ customerId }) => stuck.push(customerId) });
      expect(stuck).toEqual(retry === retriesMax ? [customer.id] : []);
      const [row] = await service.sql`
        select retries, extract(epoch from next_attempt_at - ${before?.at}::timestamptz)::float8 as delay_max,
          extract(epoch from next_attempt_at - now())::float8 as delay_min from cards
        where customer_id = ${customer.id}`;
      const delay = 5 * 3 ** (retry - 1);
      expect(row?.retries).toBe(retry);
      expect(row?.delay_max).toBeGreaterThan(delay * 0.749);
      expect(row?.delay_min).toBeLessThan(delay * 1.251);
      // The card is not due yet.
      await completeCards(ctx);
      expect(await rowsOf(customer)).toMatchObject([{ retries: retry, state: 'pending' }]);
      await leaseRunsOut(service);
    }
    await service.control('DELETE faults');
    await completeCards(ctx);
    expect(await rowsOf(customer)).toMatchObject([{ state: 'pending', retries: retriesMax }]);
    expect((await add(customer, 'tok_visa')).json).toMatchObject({ status: true });
    expect(await intentsOf(service, customer)).toBe(1);
  });

  it('keeps its idempotency key when the provider cannot be read', async () => {
    const customer = await newCustomer(service.db);
    await fault('setupIntents.create', '429', 2);
    expect((await add(customer, 'tok_visa')).status).toBe(424);
    await fault('paymentMethods.retrieve', '500');
    for (let read = 0; read < 11; read++) expect((await add(customer, 'tok_visa')).status).toBe(424);
    expect(await rowsOf(customer)).toMatchObject([{ state: 'pending', attempt: 0 }]);
    await service.control('DELETE faults');
    expect((await add(customer, 'tok_visa')).json).toMatchObject({ status: true });
    expect(await intentsOf(service, customer)).toBe(1);
  });

  it('uses at most ten idempotency keys, then fails with nothing attached', async () => {
    const customer = await newCustomer(service.db);
    await fault('setupIntents.create', '500');
    for (let attempt = 0; attempt < 10; attempt++) expect((await add(customer, 'tok_visa')).status).toBe(424);
    const { json } = await add(customer, 'tok_visa');
    expect(json).toMatchObject({ status: false, code: 'processing_error' });
    expect(await requestsTo(service, 'setupIntents.create')).toHaveLength(10);
    expect(await expectSettled(service, customer)).toBe(0);
  });

  it.each(['401', '403'])(
    'waits, with all others, while the provider rejects our key with %s',
    async (kind) => {
      // Otherwise the background jobs would begin it, and its requests would be counted below.
      await reconcileCards(ctx, { onDifference: () => undefined, onFailure: () => undefined });
      const [adding, removing] = [await newCustomer(service.db), await newCustomer(service.db)];
      const { json } = await add(removing, 'tok_visa');
      await fault('setupIntents.create', kind, 1);
      const denied = await add(adding, 'tok_visa');
      expect([denied.status, denied.headers.get('retry-after')]).toEqual([503, '60']);
      expect(await statesOf(service, adding)).toEqual(['pending']);
      await fault('*', kind);
      expect((await remove(removing, json.card?.uuid ?? '')).status).toBe(200);
      const sent = async () => (await service.control('GET requests')).data.length;
      const linesOf = async () =>
        Object.values(await writtenByService(service))
          .join('')
          .split('The provider rejects our key').length - 1;
      const [sentBefore, linesBefore] = [await sent(), await linesOf()];

      fakeTimers();
      onTestFinished(startBackgroundJobs(services()));
      const sentAndLogged = async () => [await sent(), await linesOf()];
      await expect.poll(sentAndLogged).toEqual([sentBefore + 2, linesBefore + 1]);
      for (let round = 1; round < 12; round++) {
        await vi.advanceTimersByTimeAsync(5_000);
        expect(await sentAndLogged()).toEqual([sentBefore + 2, linesBefore + 1]);
      }
      expect(await rowsOf(adding)).toMatchObject([{ state: 'pending', retries: 0 }]);
      await service.control('DELETE faults');
      const states = async () => {
        // Less than the time limit of a statement that may be under way.
        await vi.advanceTimersByTimeAsync(1_000);
        return [...(await statesOf(service, adding)), ...(await statesOf(service, removing))];
      };
      await expect.poll(states).toEqual(['active', 'removed']);
      expect(await linesOf()).toBe(linesBefore + 1);
    },
  );
});
