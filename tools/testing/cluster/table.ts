import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkout } from '#tools/checkout.ts';

/** Milliseconds; undefined if there was nothing to recover from. */
export type Round = {
  fault: string;
  requests: number;
  lost: number;
  acknowledged: number;
  missing: number;
  stallMs: number;
  slowestMs: number;
  recoveryMs?: number | undefined;
};

const head = [
  '| fault | rounds | requests | lost | acknowledged writes | missing writes | longest stall | slowest response | recovery |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
];
const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
const count = (number: number) => number.toLocaleString('en-US');
const seconds = (times: number[]) => (times.length > 0 ? `${(Math.max(...times) / 1_000).toFixed(1)} s` : '');

/** @returns a row for each fault, with the sum of its rounds, and the longest of the times */
export function faultTable(rounds: Round[]): string {
  const rows = [...Map.groupBy(rounds, ({ fault }) => fault)].map(([fault, of]) => [
    fault,
    count(of.length),
    count(sum(of.map(({ requests }) => requests))),
    count(sum(of.map(({ lost }) => lost))),
    count(sum(of.map(({ acknowledged }) => acknowledged))),
    count(sum(of.map(({ missing }) => missing))),
    seconds(of.map(({ stallMs }) => stallMs)),
    seconds(of.map(({ slowestMs }) => slowestMs)),
    seconds(of.flatMap(({ recoveryMs = [] }) => recoveryMs)),
  ]);
  return [...head, ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
}

const operations = path.join(checkout, 'docs', 'operations.md');

/** Replaces the recorded table of `docs/operations.md`. */
export async function recordFaultTable(table: string): Promise<void> {
  const text = await readFile(operations, 'utf8');
  const [title = ''] = head;
  const start = text.indexOf(title);
  if (start < 0) throw new Error('docs/operations.md has no table of faults.');
  const end = text.indexOf('\n\n', start);
  await writeFile(operations, text.slice(0, start) + table + text.slice(end));
}
