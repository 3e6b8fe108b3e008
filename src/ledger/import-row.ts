import { readInstant } from '#src/instant.ts';
import { amountProblem, centsOf } from '#src/money.ts';
import { capitalize, escapeControlChars, textProblem } from '#src/text.ts';
import {
  descriptionProblem,
  type EntryKind,
  entryKinds,
  kindProblem,
  referenceProblem,
  signedCents,
} from './entry.ts';

export type ImportRow = {
  line: number;
  username: string;
  kind: EntryKind;
  /** Signed; null if the city's price table determines it. */
  amountCents: bigint | null;
  miles: number | null;
  /** Epoch milliseconds. */
  takesEffectAt: number;
  description: string;
  reference: string | null;
};

export type RowProblem = { line: number; column: string; message: string };

export const importColumns = [
  'username',
  'kind',
  'amount',
  'miles',
  'at',
  'description',
  'reference',
] as const;
type Column = (typeof importColumns)[number];
type Cells = Record<Column, string>;
type Report = (column: Column, message: string) => void;

const milesMax = 25_000;

/** @returns why a file with these columns cannot be imported, or undefined */
export function headProblem(columns: string[]): string | undefined {
  const known: readonly string[] = importColumns;
  const unknown = columns.filter((column) => !known.includes(column));
  const missing = ['username', 'at'].filter((column) => !columns.includes(column));
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (unknown.length > 0) {
    const names = unknown.map((name) => `"${escapeControlChars(name)}"`).join(', ');
    return `Unknown column ${names}. The columns are ${importColumns.join(', ')}.`;
  }
  if (twice !== undefined) return `The column ${twice} appears twice.`;
  if (missing.length > 0) return `The column ${missing.join(' and ')} is missing from the first line.`;
  if (!columns.includes('amount') && !columns.includes('miles')) {
    return 'The first line must have an amount column, or a miles column to price deliveries from the city’s price table.';
  }
  return undefined;
}

/**
 * Checks a row without the database.
 * @param line where it starts in the file, from 1
 * @returns the row, or every problem with it
 */
export function readImportRow(line: number, cells: Partial<Cells>): ImportRow | RowProblem[] {
  const problems: RowProblem[] = [];
  const report: Report = (column, message) => problems.push({ line, column, message });
  for (const column of importColumns) {
    if (cells[column]?.includes('\ufffd')) report(column, 'Not valid UTF-8. Save the file as UTF-8.');
  }
  const { username = '', at = '', reference = '' } = cells;
  const usernameIssue = username === '' ? 'Must not be empty.' : textProblem(username, Infinity);
  if (usernameIssue) report('username', usernameIssue);
  const kind = readKind(cells.kind, report);
  const miles = readMiles(cells, kind, report);
  const amountCents = miles === null && kind ? readAmount(cells, kind, report) : null;
  const takesEffectAt = readInstant(at);
  if (typeof takesEffectAt === 'string') report('at', takesEffectAt);
  const description = cells.description || defaultDescription(kind, miles);
  const descriptionIssue = descriptionProblem(description);
  if (descriptionIssue) report('description', descriptionIssue);
  const referenceIssue = reference === '' ? undefined : referenceProblem(reference);
  if (referenceIssue) report('reference', referenceIssue);
  if (problems.length > 0 || !kind || typeof takesEffectAt === 'string') return problems;
  return {
    line,
    username,
    kind,
    amountCents,
    miles,
    takesEffectAt,
    description,
    reference: reference || null,
  };
}

function readKind(text: string | undefined, report: Report): EntryKind | undefined {
  if (!text) return 'delivery';
  const kind = entryKinds.find((one) => one === text);
  if (!kind) report('kind', `Must be one of ${entryKinds.join(', ')}.`);
  return kind;
}

function readMiles(cells: Partial<Cells>, kind: EntryKind | undefined, report: Report): number | null {
  const { miles = '', amount = '' } = cells;
  if (miles === '') return null;
  if (kind !== 'delivery') report('miles', 'Only a delivery can be priced by miles.');
  if (amount !== '') report('miles', 'Specify the amount or the miles, not both.');
  const problem = milesProblem(miles);
  if (problem) report('miles', problem);
  return Number(miles);
}

/** @returns what is wrong with a distance written as text, or undefined */
export function milesProblem(text: string): string | undefined {
  const isDistance = /^\d{1,5}(\.\d{1,6})?$/.test(text) && Number(text) <= milesMax;
  return isDistance ? undefined : 'Must be a number of miles, such as 12.4.';
}

function readAmount(cells: Partial<Cells>, kind: EntryKind, report: Report): bigint | null {
  const text = cells.amount ?? '';
  const invalid = amountProblem(text);
  const cents = invalid ? 0n : centsOf(text);
  const problem = invalid ?? kindProblem(kind, cents);
  if (problem) report('amount', problem);
  return problem ? null : signedCents(kind, cents);
}

export function defaultDescription(kind: EntryKind | undefined, miles: number | null): string {
  if (!kind) return '';
  return miles === null ? capitalize(kind) : `Delivery, ${miles} miles`;
}
