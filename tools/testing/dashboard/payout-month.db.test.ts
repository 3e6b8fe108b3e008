import { expect, test } from 'vitest';
import { readPayoutMonth } from '#app/(dashboard)/ledger.ts';
import { services } from '#src/api/services.ts';
import { readSession } from '#src/api/session.ts';
import { payoutOf } from '#src/ledger/monthly-balances.ts';
import { signIn, testService } from '#tools/testing/api.ts';
import { insertEntries, newCustomer, newEntry } from '#tools/testing/factories.ts';

const service = await testService();

test('payout: the balance due has the entries of its breakdown, also one that was added after the session was read', async () => {
  const customer = await newCustomer(service.db);
  const session = await readSession(services(), await signIn(customer));
  if (!session) throw new Error('The session has ended.');
  const { periodStart, balanceCents } = session.payout;
  await newEntry(service.db, customer, { amountCents: 25n, takesEffectAt: periodStart });
  const { payout, totals, plot } = await readPayoutMonth(customer.id, session.payout, new Date());
  expect(balanceCents).toBe(0n);
  expect(totals).toMatchObject([{ amountCents: 25n, entries: 1 }]);
  expect(plot.steps.at(-1)).toMatchObject({ balanceCents: 25 });
  expect(payout.amount_cents).toBe(25);
});

test('payout: shows a month whose balance is past 2^53 cents before its end', async () => {
  const { id, city } = await newCustomer(service.db);
  const entry = { customerId: id, kind: 'adjustment', amountCents: 2n ** 54n } as const;
  await insertEntries(service.db, [
    { ...entry, takesEffectAt: new Date('2026-11-05T20:00:00Z'), reference: 'added' },
    {
      ...entry,
      amountCents: 5n - 2n ** 54n,
      takesEffectAt: new Date('2026-11-10T20:00:00Z'),
      reference: 'taken',
    },
  ]);
  const { plot, payout } = await readPayoutMonth(id, payoutOf('2026-11-01', 0n, city.timezone), new Date());
  expect(plot.steps.map(({ balanceCents }) => balanceCents)).toEqual([2 ** 54, 5]);
  expect(payout.amount_cents).toBe(5);
});
