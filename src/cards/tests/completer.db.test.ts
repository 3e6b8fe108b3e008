import { expect, onTestFinished, test } from 'vitest';
import { startHousekeeping } from '#src/server/background-jobs.ts';
import { newCustomer, type TestCustomer, testService } from '#tools/testing/api.ts';
import { add, attachedAt, remove, shownCards, statesOf } from './support.testing.ts';

const service = await testService();
const withinAMinute = { timeout: 60_000, interval: 250 };
const isFinished = (state: string) => state !== 'pending' && state !== 'removing';

const settledCards = async (customer: TestCustomer) => {
  const [states, shown, attached] = await Promise.all([
    statesOf(service, customer),
    shownCards(customer),
    attachedAt(service, customer),
  ]);
  return { isFinished: states.every(isFinished), shown: shown.length, attached: attached.length };
};

test('left alone, everything is settled within a minute by the timer', { timeout: 90_000 }, async () => {
  onTestFinished(startHousekeeping());
  const fault = (operation: string, kind: string) =>
    service.control('POST faults', { operation, kind, times: 2 });

  const attachedUnheard = await newCustomer(service);
  await fault('setupIntents.create', 'drop_after_commit');
  expect((await add(attachedUnheard, 'tok_visa')).status).toBe(424);

  const neverReached = await newCustomer(service);
  await fault('paymentMethods.create', 'reset');
  expect((await add(neverReached, 'tok_visa')).status).toBe(424);

  const notDetached = await newCustomer(service);
  const { json } = await add(notDetached, 'tok_visa');
  await fault('paymentMethods.detach', 'drop_after_commit');
  expect((await remove(notDetached, json.card?.uuid ?? '')).status).toBe(200);

  const settled = (cards: number) => ({ isFinished: true, shown: cards, attached: cards });
  await expect.poll(() => settledCards(attachedUnheard), withinAMinute).toEqual(settled(1));
  await expect.poll(() => settledCards(neverReached), withinAMinute).toEqual(settled(0));
  await expect.poll(() => settledCards(notDetached), withinAMinute).toEqual(settled(0));
});
