/** Rounds, medians, tables, and CPU times from Linux's /proc, which all parts of the benchmark share. */
import { readdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';

/** Only reads and refusals, in fewer and shorter rounds, to try a change. */
export const isQuick = Boolean(process.env.QUICK);

export const print = (text: string) => process.stdout.write(`${text}\n`);

/**
 * Measures every subject once a round, so that other work on the machine affects all equally.
 * @param warmUpRounds rounds whose samples are dropped
 * @returns the samples of each subject
 */
export async function inTurns<Subject, Sample>(
  subjects: Subject[],
  roundCount: number,
  measure: (subject: Subject) => Promise<Sample>,
  warmUpRounds = 1,
): Promise<Sample[][]> {
  const samples = subjects.map((): Sample[] => []);
  for (let round = -warmUpRounds; round < roundCount; round += 1)
    for (const [index, subject] of subjects.entries()) {
      const sample = await measure(subject);
      if (round >= 0) samples[index]?.push(sample);
    }
  return samples;
}

/** @param share from 0 to 1 @returns the value below which this share of the values lies */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: number[]) => quantile(values, 0.5);

export function table(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.map(cell).join(' | ')} |`;
  const rule = `| ${head.map((_, column) => (column === 0 ? '---' : '---:')).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

function cell(value: string | number): string {
  if (typeof value === 'string') return value;
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(2);
}

/** In microseconds. */
type ProcessorTime = { userUs: number; kernelUs: number };

/** /proc counts in hundredths of a second. */
const tickUs = 10_000;

type ProcessStat = ProcessorTime & { parentId: number; waitedForUs: number };

/** @returns the time of a process and its children so far; NaN where there is no /proc */
export async function timeOf(processId: number): Promise<ProcessorTime> {
  const stats = await allStats();
  const total = { userUs: 0, kernelUs: 0 };
  const add = (id: number) => {
    const stat = stats.get(id);
    total.userUs += stat?.userUs ?? Number.NaN;
    total.kernelUs += stat?.kernelUs ?? Number.NaN;
    for (const [childId, { parentId }] of stats) if (parentId === id) add(childId);
  };
  add(processId);
  return total;
}

/** @returns the time of this process, and of programs that it has run */
export async function ownTimeUs(): Promise<number> {
  const stat = (await allStats()).get(process.pid);
  return stat ? stat.userUs + stat.kernelUs + stat.waitedForUs : Number.NaN;
}

/** @returns the time of all processes */
export function machineTimeUs(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) * 1000;
}

async function allStats(): Promise<Map<number, ProcessStat>> {
  const names = await readdir('/proc').catch(() => []);
  const ids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(ids.map(async (id) => [id, await statOf(id)] as const));
  return new Map(stats.flatMap(([id, stat]) => (stat ? [[id, stat] as const] : [])));
}

/** See proc_pid_stat(5). */
async function statOf(id: number): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [, parentId, , , , , , , , , , user, kernel, childrenUser, childrenKernel] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const us = (ticks = Number.NaN) => ticks * tickUs;
  return {
    parentId: parentId ?? 0,
    userUs: us(user),
    kernelUs: us(kernel),
    waitedForUs: us(childrenUser) + us(childrenKernel),
  };
}
