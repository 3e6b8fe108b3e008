import { DomainError } from '#src/errors.ts';
import { mostEntryCents } from '#src/money.ts';
import type { Context } from '#src/verb-context.ts';
import { refuseUnsayableBalance } from './balance-limit.ts';
import { type EntryKind, kindProblem, type LedgerEntry, signedCents } from './entry.ts';
import { checkEntryTexts } from './entry-texts.ts';
import { insertEntry } from './ledger-queries.ts';

export type AddEntryInput = {
  username: string;
  kind: EntryKind;
  /** As given: positive, but for an adjustment, which may have either sign. */
  amountCents: bigint;
  takesEffectAt: Date;
  description: string;
  /** Unique among the customer's entries. */
  reference: string;
};

/**
 * Adds an entry to the customer's ledger; nothing can change it afterwards, only a reversal takes it back.
 * @throws DomainError invalid_input, not_found, already_exists (the reference), refused (balance past 2^53 cents)
 */
export async function addEntry(ctx: Context, input: AddEntryInput): Promise<LedgerEntry> {
  const problem =
    kindProblem(input.kind, input.amountCents) ??
    (input.amountCents > mostEntryCents || input.amountCents < -mostEntryCents
      ? 'An amount is 999,999,999.99 dollars at most.'
      : undefined);
  if (problem) throw new DomainError('invalid_input', problem, [{ param: 'amount', message: problem }]);
  checkEntryTexts(input);
  const amountCents = signedCents(input.kind, input.amountCents);
  const entry = await insertEntry(ctx.db, ctx.actor, { ...input, amountCents }).catch(refuseUnsayableBalance);
  if (entry === undefined) throw new DomainError('not_found', 'There is no customer of that username.');
  if (entry === null) {
    throw new DomainError(
      'already_exists',
      'The customer has an entry of that reference already: nothing was added.',
    );
  }
  return entry;
}
