import { styleText } from 'node:util';
import { formatInstant } from '#src/instant.ts';
import { dollarsOf } from '#src/money.ts';
import { escapeControlChars, safeJson } from '#src/text.ts';

export function printJson(document: unknown): void {
  process.stdout.write(`${safeJson(document)}\n`);
}

export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}

export const success = (text: string) => `${styleText('green', '✓', { stream: process.stdout })} ${text}`;
export const red = (text: string) => styleText('red', text, { stream: process.stderr });
const bold = (text: string) => styleText('bold', text, { stream: process.stdout });
const dim = (text: string) => styleText('dim', text, { stream: process.stdout });

/** @param numberColumns indexes of the columns to align right */
export function table(head: string[], rows: string[][], numberColumns: number[] = []): string[] {
  const cells = rows.map((row) => row.map(escapeControlChars));
  const widths = head.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return numberColumns.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [bold(line(head)), ...cells.map(line)];
}

export function keyValueLines(pairs: [key: string, value: string | number | boolean | null][]): string[] {
  const width = Math.max(...pairs.map(([key]) => key.length));
  return pairs.map(
    ([key, value]) => `${dim(key.padEnd(width))}  ${escapeControlChars(String(value ?? '—'))}`,
  );
}

/** @returns the count and the noun, `1 entry`, `2 entries` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** @returns the zone's local time, `2026-11-20 14:30` */
export function localTime(instant: Date, timeZone: string): string {
  return formatInstant(instant, timeZone).slice(0, 16).replace('T', ' ');
}

export function signedDollars(cents: bigint): string {
  return cents < 0n ? `-${dollarsOf(-cents)}` : dollarsOf(cents);
}
