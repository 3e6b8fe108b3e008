/** Load by wrk, whose requests take a tenth of the processor time that a client in Node.js takes: https://github.com/wg/wrk */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { LoadRequest } from './load.ts';

const run = promisify(execFile);

export type WrkLoad = {
  url: string;
  connections: number;
  seconds: number;
  /** Sent in turns. */
  requests: LoadRequest[];
  /** Counts responses with this status instead of 200 and 304. */
  refusal?: number;
};

type Summary = Record<'requests' | 'elapsedUs' | 'refusals' | 'notOk' | 'lost' | 'p50Us' | 'p99Us', number>;

/**
 * @param folder for a temporary file
 * @returns the expected responses, and their latency in milliseconds
 * @throws Error on another status, and on a lost request
 */
export async function wrk(
  folder: string,
  { url, connections, seconds, requests, refusal }: WrkLoad,
): Promise<{ count: number; perSecond: number; p50Ms: number; p99Ms: number }> {
  const file = path.join(folder, 'requests.txt');
  const { pathname } = new URL(url);
  const lines = requests.map(({ path = pathname, headers }) =>
    [path, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\t'),
  );
  await writeFile(file, `${lines.join('\n')}\n`);
  const script = path.join(import.meta.dirname, 'requests.lua');
  const { stdout } = await run('wrk', [
    ...['--threads=1', `--connections=${connections}`, `--duration=${Math.round(seconds)}s`],
    ...[`--script=${script}`, '--timeout=10s', url, '--', file, ...(refusal ? [`${refusal}`] : [])],
  ]);
  const summary: Summary = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  const count = refusal ? summary.refusals : summary.requests - summary.notOk;
  const unexpected = refusal ? summary.requests - summary.refusals : summary.notOk;
  // A caller that uses up its quota gets some 200s first.
  const unexpectedMax = refusal === 429 ? summary.requests / 2 : 0;
  if (unexpected > unexpectedMax || summary.lost > 0)
    throw new Error(`${url}: ${unexpected} responses with another status, and ${summary.lost} lost.`);
  const perSecond = count / (summary.elapsedUs / 1e6);
  return { count, perSecond, p50Ms: summary.p50Us / 1000, p99Ms: summary.p99Us / 1000 };
}

/** @throws Error if wrk is not installed */
export async function requireWrk(): Promise<void> {
  const isMissing = await run('wrk', ['--version']).then(
    () => false,
    (error) => error.code === 'ENOENT',
  );
  if (isMissing) throw new Error('The benchmark needs wrk. Install it, for example: apt-get install wrk');
}
