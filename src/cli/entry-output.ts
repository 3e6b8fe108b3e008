import { formatInstant } from '#src/instant.ts';
import type { LedgerEntry } from '#src/ledger/entry.ts';
import { decimalOf, dollarsOf, exactNumber } from '#src/money.ts';
import { localTime, table } from './output.ts';

/** Amounts are exact: the cents of one entry always fit into a JSON number. */
export function entryDocument(entry: LedgerEntry, timeZone: string) {
  return {
    id: entry.id,
    kind: entry.kind,
    amount: decimalOf(entry.amountCents),
    amount_cents: exactNumber(entry.amountCents),
    takes_effect_at: formatInstant(entry.takesEffectAt, timeZone),
    description: entry.description,
    reference: entry.reference,
    reverses: entry.reverses,
    reversed_by: entry.reversedBy,
  };
}

export function entryLines(entries: LedgerEntry[], timeZone: string): string[] {
  return table(
    [`time (${timeZone})`, 'kind', 'amount', 'reference', 'description'],
    entries.map((entry) => [
      localTime(entry.takesEffectAt, timeZone),
      entry.kind,
      signedDollars(entry.amountCents),
      entry.reference,
      entry.description + (entry.reversedBy === null ? '' : ' (reversed)'),
    ]),
    [2],
  );
}

export function signedDollars(cents: bigint): string {
  return cents < 0n ? `-${dollarsOf(-cents)}` : dollarsOf(cents);
}
