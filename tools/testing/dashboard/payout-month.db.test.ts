import { expect, test } from 'vitest';
import { readPayoutMonth } from '#app/(dashboard)/ledger.ts';
import { services } from '#src/api/services.ts';
import { readSession } from '#src/api/session.ts';
import { signIn, testService } from '#tools/testing/api.ts';
import { newCustomer, newEntry } from '#tools/testing/factories.ts';

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
