/**
 * `npm run mutation -- PATH…`: changes modules in many small ways, and runs the tests that cover each change, of which one
 * should fail (see docs/testing.md). A path is a module, or a test file to run instead of all tests in the modules' folders.
 */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { say } from '#src/server/cli-output.ts';
import { checkout } from './checkout.ts';
import { testDataDir } from './testing/database-server.ts';
import { temporaryFolder } from './testing/processes.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const isTest = (file: string) => file.endsWith('.test.ts');
const modules = positionals.filter((file) => !isTest(file));
const chosenTests = positionals.filter(isTest);
if (modules.length === 0) {
  say('Name a module, such as: npm run mutation -- src/ledger/month.ts');
  process.exit(2);
}

process.chdir(checkout);
const scratch = await temporaryFolder('mutation');
// For vitest.config.ts. With Stryker's own `testFiles`, static mutants are never active.
process.env.MUTATION_TESTS = (chosenTests.length > 0 ? chosenTests : testsBeside(modules)).join(' ');
// Stryker works in a copy of the checkout, which would have a database server of its own.
process.env.TEST_DATA_DIR = testDataDir();
// A run that ends at the first failed test leaves the folders of the others.
process.env.TMPDIR = scratch.path;

await new Stryker({
  // Of a single line, Stryker would change nothing.
  mutate: modules.map((module) => module.replace(/:(\d+)$/, ':$1-$1')),
  testRunner: 'vitest',
  vitest: { related: false },
  // Most tests wait for PostgreSQL or a timer.
  concurrency: 2 * availableParallelism(),
  // Of values that are made when a module loads. Each takes a run of all tests, which is too long for those of a folder.
  ignoreStatic: chosenTests.length === 0,
  // A timeout counts as a failed test, so a busy machine must not cause one. The tests are measured alone, and then several run at a time.
  timeoutMS: 20_000,
  timeoutFactor: 3,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { reportTests: false, logTests: false },
  jsonReporter: { fileName: 'reports/mutation.json' },
  // No path in tsconfig.json leaves the checkout, and Stryker cannot read it with TypeScript 7.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  tempDirName: scratch.path,
}).runMutationTest();
await scratch.remove();

function testsBeside(modules: string[]): string[] {
  const folders = [...new Set(modules.map((file) => path.dirname(file)))];
  return folders.flatMap((folder) => globSync(`${folder}/**/*.test.ts`));
}
