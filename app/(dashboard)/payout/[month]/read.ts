import { notFound } from 'next/navigation';
import type { StatementTotal } from '#components/payout/statement.ts';
import { monthChoices, monthPattern } from '#components/payout/transactions-query.ts';
import type { Transaction } from '#components/payout/transactions-table.tsx';
import { services } from '#src/api/services.ts';
import type { Session } from '#src/api/session.ts';
import { type MonthBounds, monthBounds } from '#src/ledger/month.ts';
import { firstMonth, readStatement } from '#src/ledger/read-statement.ts';
import { exactNumber } from '#src/money.ts';
import { toTransaction } from '../../ledger.ts';

export type StatementView = {
  month: string;
  bounds: MonthBounds;
  timeZone: string;
  now: Date;
  openingCents: number;
  totals: StatementTotal[];
  closingCents: number;
  /** Oldest first; null if there are too many. */
  entries: Transaction[] | null;
};

/** @throws Next's 404 for a month without a statement: before the first transaction, or after next month */
export async function statementOf({ customerId, payout }: Session, month: string): Promise<StatementView> {
  const now = new Date();
  const { timezone: timeZone } = payout;
  if (!monthPattern.test(month)) notFound();
  const found = await services().oldReads.read(async (db) => {
    const isThere = monthChoices(now, timeZone, await firstMonth(db, customerId)).includes(month);
    return isThere ? readStatement(db, customerId, month, now) : undefined;
  });
  if (!found) notFound();
  const { openingCents, totals, closingCents, entries } = found;
  return {
    month,
    bounds: monthBounds(`${month}-01`, timeZone),
    timeZone,
    now,
    openingCents: exactNumber(openingCents),
    totals: totals.map((total) => ({ ...total, amountCents: exactNumber(total.amountCents) })),
    closingCents: exactNumber(closingCents),
    entries: entries?.map(toTransaction) ?? null,
  };
}
