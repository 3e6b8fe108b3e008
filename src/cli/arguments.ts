import { InvalidArgumentError } from 'commander';
import { type EntryKind, entryKinds } from '#src/ledger/entry.ts';
import { milesProblem } from '#src/ledger/import-row.ts';
import { amountProblem, centsOf } from '#src/money.ts';

/** Readers of options; what cannot be read is a mistake in how the command was typed. */

export function readAmount(text: string): bigint {
  const problem = amountProblem(text);
  if (problem) throw new InvalidArgumentError(problem);
  return centsOf(text);
}

export function readMiles(text: string): number {
  const problem = milesProblem(text);
  if (problem) throw new InvalidArgumentError(problem);
  return Number(text);
}

export function readKind(text: string): EntryKind {
  const kind = entryKinds.find((one) => one === text);
  if (!kind) throw new InvalidArgumentError(`It is one of ${entryKinds.join(', ')}.`);
  return kind;
}

const secondsIn: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** @returns seconds */
export function readDuration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (text === '0') return 0;
  if (!match) throw new InvalidArgumentError('It is a number with s, m, h or d, such as 24h, or 0.');
  return Number(match[1]) * (secondsIn[match[2] ?? ''] ?? 1);
}

export function readCount(text: string): number {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new InvalidArgumentError('It is a whole number from 1.');
  return count;
}

/** @returns the first day of the month */
export function readMonth(text: string): string {
  if (!/^(19[7-9]\d|20\d\d)-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError('It is a month such as 2026-11.');
  return `${text}-01`;
}
