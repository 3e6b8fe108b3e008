import type { Database } from '#db/client.ts';
import { requireCustomer } from '#src/customers/show-customer.ts';
import type { Context } from '#src/verb-context.ts';
import { compareRollup, type RollupCheck, rebuildRollup } from './check-queries.ts';
import { agreeOnZones } from './zone-months.ts';

const mostDifferences = 1_000;

/**
 * Sums all entries anew and compares them with the monthly rollup that payouts read.
 * @param username of one customer, else everyone
 * @throws DomainError not_found
 */
export async function verifyLedger(db: Database, username?: string): Promise<RollupCheck> {
  if (username !== undefined) await requireCustomer(db, username);
  return compareRollup(db, username, mostDifferences);
}

/** Makes the rollup anew from the entries, by the clocks as they are known now. @returns how many months it then has @throws DomainError not_found */
export async function rebuildLedger(ctx: Context, username?: string): Promise<number> {
  if (username !== undefined) await requireCustomer(ctx.db, username);
  await agreeOnZones(ctx.db);
  return rebuildRollup(ctx.db, ctx.actor, username);
}
