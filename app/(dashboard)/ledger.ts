import type { BalancePlotProps } from '#components/payout/balance-plot.tsx';
import type { Transaction } from '#components/payout/transactions-table.tsx';
import { services } from '#src/api/services.ts';
import type { LedgerEntry } from '#src/ledger/entry.ts';
import { monthSteps, type Payout } from '#src/ledger/monthly-balances.ts';
import { exactNumber } from '#src/money.ts';

/** What the plot of the payout's month shows. */
export async function readMonth(customerId: number, payout: Payout, now: Date): Promise<BalancePlotProps> {
  const { openingCents, steps } = await monthSteps(services().db, customerId, now);
  return {
    month: { start: payout.periodStart, end: payout.periodEnd },
    timeZone: payout.timezone,
    now,
    openingCents: exactNumber(openingCents),
    steps: steps.map(({ at, balanceCents }) => ({ at, balanceCents: exactNumber(balanceCents) })),
  };
}

export function hasScheduled({ steps, now }: BalancePlotProps): boolean {
  return steps.some(({ at }) => at > now);
}

export function toTransaction(entry: LedgerEntry): Transaction {
  return { ...entry, amountCents: exactNumber(entry.amountCents) };
}
