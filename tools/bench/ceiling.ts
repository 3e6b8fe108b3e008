/** The reads' statements in pgbench, without Node. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Statement, statementOf } from './control.ts';
import type { Caller, Environment } from './environment.ts';
import { median, print } from './measure.ts';

/** @returns statements per second with 32 connections; undefined if pgbench is not installed */
export async function measureCeiling(
  environment: Environment,
  caller: Caller,
): Promise<Record<string, number> | undefined> {
  const rates: Record<string, number> = {};
  for (const [operation, include] of [
    ['detail', 'record'],
    ['payout', 'payout'],
  ] as const) {
    const statement = await statementOf(environment.databaseUrl, include);
    const samples: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const rate = await statementsPerSecond(environment, statement, caller).catch((error) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (rate === undefined) return undefined;
      samples.push(rate);
    }
    rates[operation] = median(samples);
  }
  print('pgbench');
  return rates;
}

async function statementsPerSecond(
  { folder, databaseUrl }: Environment,
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
    ...[`--time=${Math.round(4)}`, `--file=${script}`],
    ...values.flat(),
    databaseUrl,
  ]);
  return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
}
