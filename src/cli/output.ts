import { styleText } from 'node:util';
import { escapeControlChars, safeJson } from '#src/escape.ts';

/** Options that every command takes. */
export type SharedOptions = { json?: true; actor?: string };

/** The result of a command: one JSON document with `--json`, else the lines for people. */
export function answer(options: SharedOptions, document: unknown, lines: () => string[]): void {
  if (options.json) process.stdout.write(`${safeJson(document)}\n`);
  else
    process.stdout.write(
      lines()
        .map((line) => `${line}\n`)
        .join(''),
    );
}

/** A message that is no result. */
export function remark(text: string): void {
  process.stderr.write(`${text}\n`);
}

export const good = (text: string) => styleText('green', text, { stream: process.stdout });
export const strong = (text: string) => styleText('bold', text, { stream: process.stdout });
export const dim = (text: string) => styleText('dim', text, { stream: process.stdout });
export const bad = (text: string) => styleText('red', text, { stream: process.stderr });

/**
 * Lines of a table; every cell is made inert.
 * @param right the columns of numbers, by index
 */
export function table(head: string[], rows: string[][], right: number[] = []): string[] {
  const cells = rows.map((row) => row.map(escapeControlChars));
  const widths = head.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [strong(line(head)), ...cells.map(line)];
}

/** Lines of names and values; every value is made inert. */
export function facts(pairs: [name: string, value: string | number | boolean | null][]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(
    ([name, value]) => `${dim(name.padEnd(width))}  ${escapeControlChars(String(value ?? '—'))}`,
  );
}

export const tick = (text: string) => `${good('✓')} ${text}`;
