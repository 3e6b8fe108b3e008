/** `npm run test:citus -- URL`: the database tests on a Citus coordinator (see docs/testing.md). */
import { spawnSync } from 'node:child_process';
import { checkout, programOf } from './checkout.ts';
import { citusProblem } from './testing/citus.ts';

const [url = '', ...filters] = process.argv.slice(2);
const problem = url
  ? await citusProblem(url)
  : 'Give the URL of a superuser of a Citus coordinator: npm run test:citus -- postgres://…';
if (problem) {
  process.stderr.write(`Nothing was tested, and nothing was changed. ${problem}\n`);
  process.exitCode = url ? 1 : 2;
} else {
  const run = spawnSync(
    process.execPath,
    [programOf('vitest'), 'run', '--project=database', '--project=slow', ...filters],
    {
      cwd: checkout,
      stdio: 'inherit',
      env: { ...process.env, CITUS_URL: url },
    },
  );
  process.exitCode = run.status ?? 1;
}
