/** `npm run test:model -- --seed 1 --steps 20000`: the model-based test of cards (see docs/testing.md). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { checkout, programOf } from './checkout.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 30) },
    steps: { type: 'string', default: '20000' },
    /** They share the steps, because a step mostly waits. To repeat a failure, one is enough. */
    processes: { type: 'string', default: '1' },
  },
});
const processes = Number(values.processes);
const seedsPerProcess = 1_000_000;

const runs = Array.from({ length: processes }, async (_, index) => {
  const seed = Number(values.seed) + index * seedsPerProcess;
  const steps = Math.ceil(Number(values.steps) / processes);
  const run = spawn(process.execPath, [programOf('vitest'), 'run', 'src/cards/tests/model'], {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, STEPS: String(steps), SEED: String(seed) },
  });
  const [code] = await once(run, 'exit');
  return code === 0;
});
process.exitCode = (await Promise.all(runs)).every(Boolean) ? 0 : 1;
