import { notFound } from 'next/navigation';
import { cache } from 'react';
import { hasMonth, monthPattern } from '#components/payout/transactions-query.ts';
import { services } from '#src/api/services.ts';
import type { Session } from '#src/api/session.ts';
import { type MonthBounds, monthBounds } from '#src/ledger/month.ts';
import { firstMonth, readStatement, type Statement } from '#src/ledger/read-statement.ts';

export type StatementView = Statement & { bounds: MonthBounds; timeZone: string; now: Date };

/**
 * Read once for a page and its title.
 * @throws Next's 404 for a month without a statement: before the first transaction, or after next month
 */
export const statementOf = cache(
  async ({ customerId, payout }: Session, month: string): Promise<StatementView> => {
    const now = new Date();
    const { timezone: timeZone } = payout;
    if (!monthPattern.test(month)) notFound();
    const statement = await services().replicaReads.read(async (db) => {
      const isThere = hasMonth(month, now, timeZone, await firstMonth(db, customerId));
      return isThere ? readStatement(db, customerId, month, now) : undefined;
    });
    if (!statement) notFound();
    return { ...statement, bounds: monthBounds(`${month}-01`, timeZone), timeZone, now };
  },
);
