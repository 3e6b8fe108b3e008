import type { Database } from '#db/client.ts';
import { findMonthSteps } from './balance-queries.ts';

/** More steps than this cannot be told apart in a plot. */
const mostSteps = 200;

/**
 * How the balance moves through the city's current month: what it was before, and each step in order, booked
 * deliveries ahead included; one step a day where there are more than 200 entries.
 */
export async function monthSteps(db: Database, customerId: number, at = new Date()) {
  return findMonthSteps(db, customerId, at, mostSteps);
}
