/** The same statement by PostgreSQL's own pgbench, with nothing of ours or of Node's around it. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Statement, statementOf } from './controls/read.ts';
import type { Caller, Place } from './environment.ts';
import { median, rounds, say, seconds } from './measure.ts';

/** @returns statements a second at 32 connections, undefined where there is no pgbench on this machine */
export async function measureCeiling(
  place: Place,
  caller: Caller,
): Promise<Record<string, number> | undefined> {
  const rates: Record<string, number> = {};
  for (const [what, include] of [
    ['detail', 'record'],
    ['payout', 'payout'],
  ] as const) {
    const statement = await statementOf(place.databaseUrl, include);
    const taken: number[] = [];
    for (let round = 0; round < rounds(3); round += 1) {
      const rate = await statementsPerSecond(place, statement, caller).catch((error) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (rate === undefined) return undefined;
      taken.push(rate);
    }
    rates[what] = median(taken);
  }
  say('pgbench');
  return rates;
}

async function statementsPerSecond(
  { folder, databaseUrl }: Place,
  { text, parametersFor }: Statement,
  caller: Caller,
): Promise<number> {
  const script = path.join(folder, 'statement.sql');
  await writeFile(script, `${text.replace(/\$(\d+)/g, ':p$1').replaceAll('\n', ' ')};\n`);
  const values = parametersFor(caller.apiKey, new Date()).map((value, index) => [
    '-D',
    `p${index + 1}=${value}`,
  ]);
  const { stdout } = await promisify(execFile)('pgbench', [
    ...['--no-vacuum', '--protocol=prepared', '--client=32', '--jobs=1'],
    ...[`--time=${Math.round(seconds(4))}`, `--file=${script}`],
    ...values.flat(),
    databaseUrl,
  ]);
  return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
}
