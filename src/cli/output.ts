import { styleText } from 'node:util';
import stringWidth from 'fast-string-width';
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

type Cell = string | number | boolean | null;
const cellText = (value: Cell) => escapeControlChars(String(value ?? '—'));

/**
 * @param columns the cell of a row by the name of its column
 * @param numberColumns to align right
 */
export function table<Row>(
  rows: readonly Row[],
  columns: Record<string, (row: Row) => Cell>,
  numberColumns: string[] = [],
): string[] {
  const padded = Object.entries(columns).map(([name, cellOf]) => {
    const cells = [name, ...rows.map((row) => cellText(cellOf(row)))];
    const width = cells.reduce((widest, cell) => Math.max(widest, stringWidth(cell)), 0);
    return cells.map((cell) => {
      const padding = ' '.repeat(width - stringWidth(cell));
      return numberColumns.includes(name) ? padding + cell : cell + padding;
    });
  });
  const [head = '', ...lines] = ['', ...rows].map((_, index) => {
    const cells = padded.map((column) => column[index]);
    return cells.join('  ').trimEnd();
  });
  return [bold(head), ...lines];
}

export function keyValueLines(pairs: Record<string, Cell>): string[] {
  const width = Math.max(...Object.keys(pairs).map(({ length }) => length));
  return Object.entries(pairs).map(([key, value]) => `${dim(key.padEnd(width))}  ${cellText(value)}`);
}

/** @param found one more than `limit` if there are more */
export function pageOf<Row, Cursor>(found: Row[], limit: number, cursorOf: (row: Row) => Cursor) {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** @param next of a page: what `--after` takes */
export function moreLines(next: string | number | null, what = 'see more'): string[] {
  return next === null ? [] : ['', `To ${what}, add: --after ${next}`];
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
