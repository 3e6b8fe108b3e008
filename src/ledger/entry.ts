import { ledgerEntries } from '#db/schema.ts';
import { type Detail, DomainError } from '#src/errors.ts';
import { formatInstant } from '#src/instant.ts';
import { decimalOf } from '#src/money.ts';
import { escapeControlChars, escapeCsvCell, textProblem } from '#src/text.ts';

export const entryKinds = ledgerEntries.kind.enumValues;
export type EntryKind = (typeof entryKinds)[number];

/** `amountCents` is signed: payments and credits are negative. */
export type LedgerEntry = {
  id: number;
  kind: EntryKind;
  amountCents: bigint;
  takesEffectAt: Date;
  description: string;
  reference: string;
  /** The reference of the entry that this one reverses. */
  reverses: string | null;
  /** The reference of the entry that reverses this one. */
  reversedBy: string | null;
};

const descriptionMax = 500;
const referenceMax = 190;
/** A reversing entry's reference is this and the reversed entry's reference. */
export const reversalPrefix = 'reversal:';

/** @returns what is wrong with the amount for the kind, or undefined; amounts are positive, except for adjustments */
export function kindProblem(kind: EntryKind, amountCents: bigint): string | undefined {
  if (kind === 'adjustment') return amountCents === 0n ? 'An adjustment can’t be zero.' : undefined;
  if (amountCents < 0n) {
    return `The amount of a ${kind} must be positive. To reduce a balance, use a credit.`;
  }
  return amountCents === 0n && kind !== 'delivery' ? `A ${kind} can’t be zero.` : undefined;
}

/** The amount as stored: negative if it lowers the balance. */
export function signedCents(kind: EntryKind, amountCents: bigint): bigint {
  return kind === 'credit' || kind === 'payment' ? -amountCents : amountCents;
}

/** Operators retype references to reverse an entry, so all characters must be visible. */
export function referenceProblem(reference: string): string | undefined {
  if (reference.trim() === '') return 'Must not be empty.';
  if (reference.trim() !== reference) return 'Starts or ends with a space. Remove it.';
  if (escapeControlChars(reference) !== reference)
    return 'Contains invisible or control characters. Remove them.';
  if (reference.startsWith(reversalPrefix)) {
    return `References that start with "${reversalPrefix}" are reserved for reversals. Use another reference.`;
  }
  return textProblem(reference, referenceMax);
}

export function descriptionProblem(description: string): string | undefined {
  return textProblem(description, descriptionMax);
}

/** @throws DomainError invalid_input */
export function checkEntryTexts(entry: { description: string; reference: string }): void {
  const reference = referenceProblem(entry.reference);
  const description = descriptionProblem(entry.description);
  const details: Detail[] = [];
  if (reference) details.push({ param: 'reference', message: reference });
  if (description) details.push({ param: 'description', message: description });
  if (details.length > 0)
    throw new DomainError('invalid_input', 'The entry is invalid, so nothing was added.', details);
}

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
