import type { BalancePlotProps } from '#components/payout/balance-line.ts';
import type { TransactionRow } from '#components/payout/transactions-table.tsx';
import { transactionTypeNames } from '#components/payout/transactions-url.ts';
import { formatDateTime, zoneName } from '#components/ui/dates.tsx';
import { presentPayout } from '#src/api/operations/get-payout.ts';
import { services } from '#src/api/services.ts';
import { formatInstant } from '#src/instant.ts';
import type { LedgerEntry } from '#src/ledger/entry.ts';
import type { Payout } from '#src/ledger/monthly-balances.ts';
import { readMonth } from '#src/ledger/read-statement.ts';
import { exactNumber } from '#src/money.ts';

/** @returns `2026-11` */
export const monthOf = ({ periodStart, timezone }: Payout) =>
  formatInstant(periodStart, timezone).slice(0, 7);

/**
 * The month of a payout with the balance that it leads to, which is not that of the session if an entry was added since.
 * @param sessionPayout read with the session
 */
export async function readPayoutMonth(customerId: number, sessionPayout: Payout, now: Date) {
  const { timezone, periodStart, periodEnd } = sessionPayout;
  const { openingCents, totals, steps, closingCents } = await readMonth(services().db, customerId, {
    month: monthOf(sessionPayout),
    timezone,
    now,
  });
  const plot: BalancePlotProps = {
    month: { start: periodStart, end: periodEnd },
    timeZone: timezone,
    now,
    openingCents: exactNumber(openingCents),
    // Rounded, because only balances at the ends of months are limited to what a number represents exactly.
    steps: steps.map(({ at, balanceCents }) => ({ at, balanceCents: Number(balanceCents) })),
  };
  const { payout } = presentPayout({ ...sessionPayout, balanceCents: closingCents });
  return { plot, totals, payout };
}

export function hasScheduled({ steps, now }: BalancePlotProps): boolean {
  return steps.some(({ at }) => at > now);
}

/** What a table of transactions shows, and no more, because the page sends it. */
export function transactionsOf(entries: LedgerEntry[], timeZone: string, now: Date) {
  const rows = entries.map((entry): TransactionRow => {
    const { id, takesEffectAt, kind, description, reference, reverses, reversedBy, amountCents } = entry;
    return {
      ...{ id, description, reference, amountCents },
      at: takesEffectAt.toISOString(),
      when: formatDateTime(takesEffectAt, timeZone),
      type: transactionTypeNames[kind],
      ...(reverses !== null && { reverses }),
      ...(reversedBy !== null && { reversedBy }),
      ...(takesEffectAt > now && { isScheduled: true }),
    };
  });
  return { zone: zoneName(timeZone), rows };
}
