import type { Database } from '#db/client.ts';
import { findMonthBalances, type MonthBalance } from './balance-queries.ts';

/**
 * The last twelve months of a customer, oldest first, the city's current month (booked deliveries included) last.
 * @param at the instant that decides which month is the current one
 */
export async function monthlyBalances(
  db: Database,
  customerId: number,
  at = new Date(),
): Promise<MonthBalance[]> {
  return findMonthBalances(db, customerId, at, 12);
}
