import { escapeCsvCell } from '#src/escape.ts';
import { formatInstant } from '#src/instant.ts';
import { decimalOf } from '#src/money.ts';
import type { LedgerEntry } from './entry.ts';

export const entriesCsvHead = 'takes_effect_at,kind,amount,description,reference,reverses\r\n';

/**
 * Entries as lines of CSV under `entriesCsvHead`; no cell can act as a formula.
 * @param timeZone whose offset the times are written with
 */
export function entriesCsv(entries: LedgerEntry[], timeZone: string): string {
  return entries.map((entry) => `${cells(entry, timeZone).join(',')}\r\n`).join('');
}

function cells(entry: LedgerEntry, timeZone: string): string[] {
  return [
    formatInstant(entry.takesEffectAt, timeZone),
    entry.kind,
    // A number, so it stays one: its minus starts no formula.
    decimalOf(entry.amountCents),
    escapeCsvCell(entry.description),
    escapeCsvCell(entry.reference),
    escapeCsvCell(entry.reverses ?? ''),
  ];
}
