/** `npm run test:model -- --seed 1 --steps 20000`: the model-based test of cards (see docs/testing.md). */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { checkout } from './checkout.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, steps: { type: 'string', default: '20000' } },
});
const vitest = path.join(checkout, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', 'src/cards/tests/model'], {
  cwd: checkout,
  stdio: 'inherit',
  env: { ...process.env, STEPS: values.steps, ...(values.seed && { SEED: values.seed }) },
});
process.exitCode = status ?? 1;
