/**
 * `npm run attacks`: starts a service and attacks it, with `WEB_CONCURRENCY` processes. `npm run attacks -- URL` attacks a
 * running one, which must be yours, with the attacks that need no access to its machine. Prints a line for each attack.
 */
import { buildIfNeeded } from '#src/server/build.ts';
import { say } from '#src/server/cli-output.ts';
import { settingVariables } from '#src/settings.ts';
import { checkout } from '../checkout.ts';
import { accountAttacks } from './accounts.ts';
import { edgeAttacks } from './edge.ts';
import { guessingFlood } from './guessing-flood.ts';
import { runningTarget, startTarget } from './target.ts';

const [url] = process.argv.slice(2);
for (const name of settingVariables) if (name !== 'WEB_CONCURRENCY') process.env[name] = '';
if (url === undefined) await buildIfNeeded(checkout, new AbortController().signal);
const target = url === undefined ? await startTarget() : runningTarget(url);
const counts = { pass: 0, FAIL: 0, skip: 0 };
try {
  for (const { title, isOwnOnly, run } of [...edgeAttacks, ...accountAttacks, guessingFlood]) {
    const isSkipped = isOwnOnly && !target.own;
    const found = isSkipped
      ? undefined
      : await run(target).catch((error: unknown) => String(error instanceof Error ? error.stack : error));
    const outcome = isSkipped ? 'skip' : found === undefined ? 'pass' : 'FAIL';
    counts[outcome] += 1;
    say(`${outcome}  ${title}${found === undefined ? '' : `\n      ${found.slice(0, 500)}`}`);
  }
} finally {
  await target.stop();
}
say(`${counts.pass} passed, ${counts.FAIL} failed, ${counts.skip} skipped`);
process.exitCode = counts.FAIL === 0 ? 0 : 1;
