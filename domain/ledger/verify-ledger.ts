import type { Database } from '#db/client.ts';
import { compareRollup, type RollupCheck, rebuildRollup } from '#db/queries/ledger-check.ts';
import { agreeOnZones } from '#domain/cities/zone-calendar.ts';
import type { Context } from '#domain/context.ts';
import { requireCustomer } from '#domain/customers/show-customer.ts';

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
