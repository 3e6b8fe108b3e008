/** `npm run test:citus -- URL`: the database tests on a Citus coordinator (see docs/testing.md). */
import { say } from '#src/server/cli-output.ts';
import { runVitest } from './checkout.ts';
import { citusProblem } from './testing/citus.ts';

const [url = '', ...filters] = process.argv.slice(2);
const problem = url
  ? await citusProblem(url)
  : 'Give the URL of a superuser of a Citus coordinator: npm run test:citus -- postgres://…';
if (problem) {
  say(`Nothing was tested, and nothing was changed. ${problem}`);
  process.exitCode = url ? 1 : 2;
} else {
  process.exitCode = runVitest(['--project=database', '--project=slow', ...filters], { CITUS_URL: url });
}
