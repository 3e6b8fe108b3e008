import { DomainError } from '#src/errors.ts';
import type { Context } from '#src/verb-context.ts';
import { refuseUnsayableBalance } from './balance-limit.ts';
import type { LedgerEntry } from './entry.ts';
import { insertReversal } from './ledger-queries.ts';

/**
 * Takes an entry back by another of the opposite amount at the same instant; both stay in the ledger.
 * @returns the reversing entry
 * @throws DomainError not_found, refused (reversed already, or a reversal itself)
 */
export async function reverseEntry(
  ctx: Context,
  input: { username: string; reference: string },
): Promise<LedgerEntry> {
  const outcome = await insertReversal(ctx.db, ctx.actor, input).catch(refuseUnsayableBalance);
  if (!outcome.isCustomerKnown) throw new DomainError('not_found', 'There is no customer of that username.');
  if (!outcome.isEntryKnown)
    throw new DomainError('not_found', 'The customer has no entry of that reference.');
  if (outcome.isReversal)
    throw new DomainError('refused', 'That entry is a reversal: add the charge again instead.');
  if (!outcome.entry) throw new DomainError('refused', 'That entry has been reversed already.');
  return outcome.entry;
}
