/** The processor time of processes, from Linux's /proc. */
import { readdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';

/** In microseconds. */
export type ProcessorTime = { userUs: number; kernelUs: number };

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
