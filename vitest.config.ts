import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const exclude = ['node_modules/**', '.next/**', 'e2e/**'];
const modelTests = 'src/cards/tests/model/*.db.test.ts';
/**
 * They start server processes, wait for timeouts, or send hundreds of requests at once, and together take longer than all
 * other tests of cards. Each file has its own process, because the model changes the provider's SDK.
 */
const slowTests = [
  'src/cards/tests/crash/*.db.test.ts',
  'src/cards/tests/{bursts,faults,provider-requests}.db.test.ts',
  modelTests,
];
/** Of `npm run test:cluster`, which installs the programs that they need. */
const clusterTests = '**/*.cluster.test.ts';
/** Of `npm run test:citus`. */
const citusTests = '**/*.citus.test.ts';
/** Database tests that do not run on Citus. Single ones are named by `onPostgres`. */
const postgresTests = [
  // They check the rules where no Citus is at hand.
  'db/distribution.db.test.ts',
  // A key's record takes a second statement.
  'src/api/statements.db.test.ts',
  // They read counters of PostgreSQL, which the workers have.
  'src/reads.db.test.ts',
  // They read pg_stat_statements, which Citus has not loaded.
  'tools/testing/database.db.test.ts',
  // It starts `npm run test:citus`.
  'tools/test-citus.db.test.ts',
];

/** Of `npm run mutation`, which runs only these. */
const mutationTests = process.env.MUTATION_TESTS?.split(' ');
const testsLike = (pattern: string) =>
  mutationTests ? mutationTests.filter((file) => path.matchesGlob(file, pattern)) : [pattern];

/** Unit tests that wait for seconds. */
const waiting = /\/(src\/log|stripe-sandbox\/state\/faults)\.test/;
const projectOrder = ['unit', 'slow', 'database'];

/**
 * Starts unit tests and the longest files first, so that no worker is idle at the end. Of a changed module, the first failed test
 * ends the run, so the files that noticed the most changes come first, and then the shortest.
 */
class RunOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const duration = (file: TestSpecification) =>
      this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0;
    const failures = (file: TestSpecification) =>
      this.ctx.cache.getTestSpecificationResult(file)?.failedTests?.length ?? 0;
    if (mutationTests)
      return files.toSorted((a, b) => failures(b) - failures(a) || duration(a) - duration(b));
    const rank = ({ moduleId, project }: TestSpecification) =>
      waiting.test(moduleId) ? -1 : projectOrder.indexOf(project.name);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/** On Citus, statements take several times as long, and sign-ins, cards, and entries of all customers wait for each other. */
const databaseTimeoutMs = process.env.CITUS_URL ? 300_000 : 120_000;

/** Loads modules faster: without it, a run of three database files took 37% more CPU time. */
const execArgv = ['--import', path.join(import.meta.dirname, 'src/fast-imports.mjs')];

const database = {
  exclude,
  execArgv,
  globalSetup: './tools/testing/database-server.ts',
  testTimeout: databaseTimeoutMs,
  hookTimeout: databaseTimeoutMs,
  expect: { poll: { timeout: 60_000 } },
};
/** Files that a process runs one after the other share their modules, whose loading took half of the time. */
const sharedProcess = { isolate: false, setupFiles: './tools/testing/restore.ts' };

export default defineConfig({
  test: {
    allowOnly: false,
    sequence: { sequencer: RunOrder },
    // Most tests wait for PostgreSQL or a timer, so there are more workers than cores.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      {
        test: {
          ...sharedProcess,
          name: 'unit',
          execArgv,
          include: testsLike('**/*.test.{ts,tsx}'),
          exclude: [...exclude, '**/*.db.test.ts', clusterTests, citusTests],
          // As for the others, so that a busy machine fails no test.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        test: {
          ...database,
          ...sharedProcess,
          name: 'database',
          include: [
            ...(process.env.CLUSTER ? [clusterTests] : testsLike('**/*.db.test.ts')),
            ...(process.env.CITUS_URL ? [citusTests] : []),
          ],
          exclude: [...exclude, ...slowTests, ...(process.env.CITUS_URL ? postgresTests : [])],
        },
      },
      {
        test: {
          ...database,
          name: 'slow',
          include: process.env.CLUSTER ? [] : slowTests.flatMap(testsLike),
          exclude: process.env.CITUS_URL ? [modelTests] : [],
        },
      },
    ],
  },
});
