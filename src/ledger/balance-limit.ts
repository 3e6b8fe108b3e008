import { DomainError } from '#src/errors.ts';

/** The constraint that the database's own check of balances names. */
const constraint = 'ledger_balance_exact';

/** Turns the database's refusal of a balance that JSON could not say exactly into ours. */
export function refuseUnsayableBalance(error: unknown): never {
  const cause = causes(error).find((one) => 'constraint_name' in one && one.constraint_name === constraint);
  if (!cause) throw error;
  const message = `The balance would pass 90,071,992,547,409.91 dollars (2^53 cents), which cannot be said exactly: nothing was added.`;
  throw new DomainError('refused', message, [], { cause: error });
}

function causes(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
