import { InvalidArgumentError, Option } from 'commander';
import { type EntryKind, entryKinds } from '#src/ledger/entry.ts';
import { milesProblem } from '#src/ledger/import-row.ts';
import { amountProblem, centsOf } from '#src/money.ts';

/** Parsers of option values; an invalid value is a usage error. */

export function parseAmount(text: string): bigint {
  const problem = amountProblem(text);
  if (problem) throw new InvalidArgumentError(problem);
  return centsOf(text);
}

export function parseMiles(text: string): number {
  const problem = milesProblem(text);
  if (problem) throw new InvalidArgumentError(problem);
  return Number(text);
}

export function parseKind(text: string): EntryKind {
  const kind = entryKinds.find((name) => name === text);
  if (!kind) throw new InvalidArgumentError(`Use one of ${entryKinds.join(', ')}.`);
  return kind;
}

const secondsPerUnit: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** @returns seconds */
export function parseDuration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (text === '0') return 0;
  if (!match) throw new InvalidArgumentError('Use a number followed by s, m, h, or d, such as 24h, or 0.');
  return Number(match[1]) * (secondsPerUnit[match[2] ?? ''] ?? 1);
}

/** @param fallback such as `24h` */
export function durationOption(flags: string, description: string, fallback: string): Option {
  return new Option(flags, description).argParser(parseDuration).default(parseDuration(fallback), fallback);
}

export function parseCount(text: string): number {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new InvalidArgumentError('Use a whole number of at least 1.');
  return count;
}

/** @returns the first day of the month, `2026-11-01` */
export function parseMonth(text: string): string {
  if (!/^(19[7-9]\d|20\d\d)-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError('Use a month such as 2026-11.');
  return `${text}-01`;
}
