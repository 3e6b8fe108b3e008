/** `npm start` as a person types it, on a database that is there already. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { checkout } from '#tools/checkout.ts';
import { median, rounds, say } from './measure.ts';
import { firstAnswer, withoutSettings } from './targets.ts';

/** @returns from the command to the first answer, the first start (which makes the database) left out */
export async function secondStartMs(folder: string, port: number): Promise<number> {
  const times: number[] = [];
  for (let round = -1; round < rounds(5); round += 1) {
    const one = await startMs(folder, port);
    if (round >= 0) times.push(one);
  }
  say('starts');
  return median(times);
}

async function startMs(folder: string, port: number): Promise<number> {
  const startedAt = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: checkout,
    // A group of its own, which a Ctrl-C would go to.
    detached: true,
    stdio: 'ignore',
    env: { ...withoutSettings(process.env), PORT: `${port}`, DATA_DIR: path.join(folder, 'second-start') },
  });
  const ended = once(child, 'exit');
  const died = ended.then(([code]) => {
    throw new Error(`npm start ended with ${code}.`);
  });
  died.catch(() => {});
  await Promise.race([firstAnswer(`http://127.0.0.1:${port}/api/health/ready`), died]);
  const elapsedMs = performance.now() - startedAt;
  if (child.pid) process.kill(-child.pid, 'SIGINT');
  await ended;
  return elapsedMs;
}
