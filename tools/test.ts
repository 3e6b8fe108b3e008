/**
 * `npm test`: runs the checks and tests, prints a line for each step, and then how many passed and failed. `--full` runs
 * everything where `npm test` takes a seeded sample or one of several equivalent cases, and `--changed` only types and
 * tests near a change (see docs/testing.md).
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { quickstartsToRun } from '#e2e/docs/code-samples.ts';
import { buildIfNeeded } from '#src/server/build.ts';
import { elapsed, say } from '#src/server/cli-output.ts';
import { settingVariables } from '#src/settings.ts';
import { findOrInstallBrowsers } from './browser.ts';
import { checkout, programOf } from './checkout.ts';
import { type Counts, playwrightCounts, type Run, runCounts, runProgram, vitestCounts } from './runners.ts';
import { testDataDir } from './testing/database-server.ts';
import { temporaryFolder } from './testing/processes.ts';
import { isThorough } from './testing/thorough.ts';

// Settings of a real service must not reach the service under test, neither from here nor from a `.env` file.
for (const name of settingVariables) process.env[name] = '';
if (process.argv.includes('--full')) process.env.FULL = '1';
process.env.NEXT_TELEMETRY_DISABLED = '1';
// The tests start dozens of processes that load the same modules. The folder is that of src/fast-imports.mjs.
process.env.NODE_COMPILE_CACHE ??= path.join(checkout, 'node_modules', '.cache', 'node');
// The output of failed steps is printed as plain text.
delete process.env.FORCE_COLOR;
process.env.NO_COLOR = '1';

/** Those of `vitest.config.ts` without `slow`. */
const fastProjects = ['--project=unit', '--project=database'];

const total: Counts = { passed: 0, failed: 0 };
const scratch = await temporaryFolder('test');
// Files that tests leave behind are removed with this folder. Those of the database server are kept for the next run.
process.env.TEST_DATA_DIR = testDataDir();
process.env.TMPDIR = scratch.path;
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());

if (process.argv.includes('--changed')) {
  await Promise.all([types(), testsNearChange()]);
} else {
  await step('Browser', async () => {
    const { chromium, shell } = findOrInstallBrowsers();
    Object.assign(process.env, { E2E_BROWSER: shell, E2E_CHROMIUM: chromium });
    return one({ code: 0, output: '' });
  });
  // All of them wait at times, for PostgreSQL, timers, or pages. Together they use every core until the end.
  await Promise.all([unitTests(), buildAndTestService()]);
}

// A runner that was stopped may have left its database server running; the last process to release it stops it.
if (stop.signal.aborted) {
  for (const dataDir of [testDataDir(), path.join(scratch.path, 'data')]) {
    if (existsSync(path.join(dataDir, 'postgres'))) await (await openEmbeddedDatabase(dataDir)).release();
  }
}
await scratch.remove();
process.exitCode = total.failed === 0 && !stop.signal.aborted ? 0 : 1;
say(stop.signal.aborted ? 'Stopped.' : `${total.passed} passed, ${total.failed} failed`);

async function buildAndTestService(): Promise<void> {
  await step('Production build', async () => {
    await buildIfNeeded(checkout, stop.signal);
    return one({ code: 0, output: '' });
  });
  // After the build, because both generate types in `.next`.
  await types();
  await step('Format, lint, and import rules', async () =>
    one(await run('biome', 'ci', '--colors=off', '--error-on-warnings', '.')),
  );
  await step('Unused code', async () => one(await run('knip')));
  if (process.env.FULL) sayQuickstarts();
  await step('End-to-end tests', endToEndTests);
}

function types(): Promise<void> {
  return step('Types', async () => {
    const generated = await run('next', 'typegen');
    // Several checkers check shared types again, each for itself, and the other cores have tests to run.
    return one(generated.code === 0 ? await run('tsc', '--noEmit', '--checkers', '1') : generated);
  });
}

function unitTests(): Promise<void> {
  return step('Unit and database tests', () =>
    runner('vitest.json', vitestCounts, (report) => [
      'vitest',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      // In CI, the end-to-end tests beside them take twice as long. Fewer processes lose no time, and a busy machine makes fewer
      // requests reach the time limits of the service.
      ...(isThorough ? ['--maxWorkers=100%'] : []),
    ]),
  );
}

/** The tests in changed folders that import a changed file. */
async function testsNearChange(): Promise<void> {
  const folders = await changedFolders();
  if (folders.length === 0) return;
  await step(`Tests in ${folders.join(', ')}`, async () =>
    // Each process loads the modules again, which takes longer than a few tests.
    one(
      await run(
        'vitest',
        'run',
        '--changed',
        '--passWithNoTests',
        '--maxWorkers=100%',
        ...fastProjects,
        ...folders,
      ),
    ),
  );
}

/** @returns the folders with files that differ from the last commit */
async function changedFolders(): Promise<string[]> {
  const git = promisify(execFile);
  const listed = [
    await git('git', ['diff', '--name-only', '--relative', 'HEAD'], { cwd: checkout }),
    await git('git', ['ls-files', '--others', '--exclude-standard'], { cwd: checkout }),
  ];
  const files = listed.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean));
  return [...new Set(files.map((file) => `${path.dirname(file)}/`))];
}

function sayQuickstarts(): void {
  const { run, missing } = quickstartsToRun(true);
  const names = (some: { title: string }[]) => some.map(({ title }) => title).join(', ');
  say(`  Quickstarts: ${names(run)}${missing.length > 0 ? `; not installed: ${names(missing)}` : ''}`);
}

async function endToEndTests(): Promise<{ counts: Counts; output: string }> {
  // Playwright sets FORCE_COLOR for its workers, and Node.js warns when both are set.
  delete process.env.NO_COLOR;
  process.env.E2E_DATA_DIR = path.join(scratch.path, 'data');
  const first = await runner('playwright.json', playwrightCounts, (report) => {
    process.env.PLAYWRIGHT_JSON_OUTPUT_FILE = report;
    return ['playwright', 'test', '--reporter=dot,json'];
  });
  if (first.counts.failed === 0 || stop.signal.aborted) return first;
  // Traces slow tests down, so only failed tests run again with them. That run changes no result.
  await run('playwright', 'test', '--last-failed', '--no-deps', '--trace=on', '--reporter=dot');
  return { ...first, output: `${first.output}\n\nTraces of the failed tests are in test-results.` };
}

async function step(title: string, run: () => Promise<{ counts: Counts; output: string }>): Promise<void> {
  if (stop.signal.aborted) return;
  const startedAt = performance.now();
  const { counts, output } = await run().catch((error: unknown) => ({
    counts: { passed: 0, failed: 1 },
    output: String(error instanceof Error ? error.message : error),
  }));
  if (stop.signal.aborted) return;
  total.passed += counts.passed;
  total.failed += counts.failed;
  const tests = counts.passed + counts.failed > 1 ? `: ${counts.passed} passed, ${counts.failed} failed` : '';
  say(`${counts.failed === 0 ? '✓' : '✗'} ${title}${tests}${elapsed(performance.now() - startedAt)}`);
  if (counts.failed > 0) say(`\n${output.trim()}\n`);
}

/** A check that passes or fails as a whole. */
function one({ code, output }: Run): { counts: Counts; output: string } {
  return { counts: code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, output };
}

async function runner(
  reportName: string,
  read: (text: string) => Counts,
  command: (report: string) => [string, ...string[]],
): Promise<{ counts: Counts; output: string }> {
  const report = path.join(scratch.path, reportName);
  const { code, output } = await run(...command(report));
  const text = await readFile(report, 'utf8').catch(() => undefined);
  return { counts: runCounts(code, text === undefined ? undefined : read(text)), output };
}

function run(program: string, ...args: string[]): Promise<Run> {
  return runProgram([programOf(program), ...args], stop.signal);
}
