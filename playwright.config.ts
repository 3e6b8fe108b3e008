import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig, devices } from '@playwright/test';
import { unusedPort } from '#tools/testing/listen.ts';
import { startCommand } from './e2e/support/own-service.ts';
import { quietBrowserArguments } from './tools/browser.ts';
import { temporaryFolder } from './tools/testing/processes.ts';
import { isThorough } from './tools/testing/thorough.ts';

// Chosen once: the workers load this file again with the environment of the first process.
process.env.E2E_PORT ||= String(await unusedPort());
process.env.E2E_SANDBOX_PORT ||= String(await unusedPort());
process.env.E2E_PLAIN_PORT ||= String(await unusedPort());
if (!process.env.E2E_DATA_DIR) {
  const folder = (await temporaryFolder('e2e')).path;
  process.env.E2E_DATA_DIR = path.join(folder, 'data');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
}
// Every response of the service is recorded here for the leak scan.
process.env.E2E_RESPONSES ||= path.join(path.dirname(process.env.E2E_DATA_DIR), 'responses');
const baseURL = `http://127.0.0.1:${process.env.E2E_PORT}`;
const plainURL = `http://127.0.0.1:${process.env.E2E_PLAIN_PORT}`;

const isFull = Boolean(process.env.FULL);

/**
 * Specs that protect neither money, cards, credentials, nor the API's contract, or what other tests protect too. CI and
 * `npm run test:full` run them, and the single tests tagged `@thorough`.
 */
const thorough = [
  // What the map and the docs show, and how pages look, load, and move.
  'dashboard/{address-search,background-map,large-service-area,map,service-area,street-tiles}',
  'docs/{generated-clients,pages,phone,quickstarts,search}',
  'dashboard/{compression,first-paint,font-loading,global-error,navigation,page-weight,readme-screenshot}',
  'dashboard/{scroll-into-view,transactions-pagination,visual-regression}',
  // Starts and stops of the service.
  'api/lifecycle',
  // The payment sandbox, which the specs of cards use too.
  'sandbox/*',
];

const leftOut = isThorough ? [] : [/@thorough/];

/** Specs that run against our own host only, as do single tests tagged `@host`. */
const hostOnly = [
  // They test what our host does itself: invalid HTTP, precompressed files, and the comparison of both hosts.
  ...['malformed-requests', 'request-checks', 'compression', 'parity', 'first-paint'],
  // A script that failed before Next waits for it is requested again.
  'global-error',
  // They start services of their own with our start command.
  ...[
    'behind-proxy',
    'lifecycle',
    'visual-regression',
    'real-stripe-keys',
    'street-tiles',
    'address-search',
    'workers',
  ],
  ...['lighthouse', 'readme-screenshot'],
];
/**
 * Specs whose tests depend on the host: routes, headers, server actions, and files. parity.spec.ts compares the responses
 * of both hosts to every operation. The other specs run under `next start` only in `npm run test:full`.
 */
const hostDependent = [
  ...['api/operations', 'api/host', 'docs/examples'],
  ...['dashboard/happy-path', 'dashboard/headers'],
  ...(isThorough ? ['api/session', 'dashboard/sign-in', 'dashboard/statement', 'dashboard/payout'] : []),
  ...(isThorough ? ['dashboard/server-error', 'dashboard/payment-page'] : []),
];
/** The tests in these specs that do not depend on it. */
const sameTitlesOnBothHosts =
  /double click: |card form: |(?<!\/)cards: |\/[a-z-]+: redirects to sign-in|does not redirect to|focuses the first one|masks the secret|statement: (opening|the current|prints|a long)|(?<!\/)payout: |transactions: |does not share a document/;

const service = {
  PORT: process.env.E2E_PORT,
  SANDBOX_PORT: process.env.E2E_SANDBOX_PORT,
  DATA_DIR: process.env.E2E_DATA_DIR,
  // All tests share one client address.
  LIMIT_FAILED_AUTH_PER_ADDRESS: '100000',
};
/** On SIGTERM they stop their database too. */
const withGracefulShutdown = {
  gracefulShutdown: { signal: 'SIGTERM' as const, timeout: 20_000 },
  stdout: 'ignore' as const,
};

export default defineConfig({
  testDir: 'e2e',
  fullyParallel: true,
  forbidOnly: true,
  grepInvert: leftOut,
  retries: 0,
  // Some tests wait for timeouts and processes, so there is one more than cores, except in CI, where more tests are long.
  workers: availableParallelism() + (isThorough ? 0 : 1),
  // Both are long, so that a busy machine fails no test.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  // One picture for all machines: the comparison is coarse enough.
  snapshotPathTemplate: '{testDir}/{testFileDir}/visual-regression/{arg}{ext}',
  use: {
    ...devices['Desktop Chrome'],
    baseURL,
    screenshot: 'only-on-failure',
    launchOptions: {
      args: quietBrowserArguments,
      ...(process.env.E2E_BROWSER && { executablePath: process.env.E2E_BROWSER }),
    },
  },
  projects: [
    // One project for all areas, because a worker that changes projects starts again, with its browser.
    {
      name: 'service',
      testMatch: '{api,docs,dashboard,sandbox}/**/*.spec.ts',
      testIgnore: [
        ...(isFull ? [] : ['**/lighthouse.spec.ts']),
        ...(isThorough ? [] : thorough.map((names) => `**/${names}.spec.ts`)),
      ],
    },
    // The gallery only takes pictures for people to look at.
    ...(process.env.GALLERY ? [{ name: 'gallery', testDir: 'e2e/gallery' }] : []),
    // The same specs against `next start` of the same build.
    {
      name: 'plain-next',
      // The specs of the sandbox and the fuzzers start what they test.
      testMatch: isFull ? '{api,docs,dashboard}/*.spec.ts' : hostDependent.map((name) => `${name}.spec.ts`),
      testIgnore: hostOnly.map((name) => `**/${name}.spec.ts`),
      grepInvert: isFull ? /@host/ : [/@host/, ...leftOut, sameTitlesOnBothHosts],
      use: { baseURL: plainURL },
    },
    // Reads the log, the database, and the responses that all the others left.
    { name: 'leak-scan', testDir: 'e2e/leak-scan', dependencies: ['service', 'plain-next'] },
  ],
  webServer: [
    {
      ...withGracefulShutdown,
      command: `exec node ${startCommand.join(' ')}`,
      url: `${baseURL}/api/health/ready`,
      // It waits for a build, by another process or its own, which may take minutes on a busy machine.
      timeout: 20 * 60_000,
      env: service,
    },
    {
      ...withGracefulShutdown,
      command: 'exec node e2e/support/plain-next.ts',
      url: `${plainURL}/api/health/ready`,
      timeout: 5 * 60_000,
      env: { ...service, PLAIN_PORT: process.env.E2E_PLAIN_PORT },
    },
  ],
});
