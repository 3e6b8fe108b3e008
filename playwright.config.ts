import path from 'node:path';
import { defineConfig, devices } from '@playwright/test';
import getPort from 'get-port';
import { startCommand } from './e2e/support/start-command.ts';
import { quietBrowserArguments } from './tools/browser.ts';
import { temporaryFolder } from './tools/testing/temporary-folder.ts';

// Chosen once: the workers load this file again, with the environment of the first.
process.env.E2E_PORT ||= String(await getPort());
process.env.E2E_SANDBOX_PORT ||= String(await getPort());
process.env.E2E_PLAIN_PORT ||= String(await getPort());
process.env.E2E_DATA_DIR ||= path.join((await temporaryFolder('e2e')).path, 'data');
// Where every answer of the service is kept, to be looked through when all else is done.
process.env.E2E_ANSWERS ||= path.join(path.dirname(process.env.E2E_DATA_DIR), 'answers');
const baseURL = `http://127.0.0.1:${process.env.E2E_PORT}`;
const plainURL = `http://127.0.0.1:${process.env.E2E_PLAIN_PORT}`;

const areas = ['api', 'docs', 'dashboard', 'sandbox'];
/** Run against our own host alone, as single tests are that have the tag `@host`: each says why. */
const ofTheHost = [
  // It answers what no handler gets to see, and has files compressed ahead; and both hosts are compared already.
  ...['malformed-requests', 'compression', 'parity'],
  // They start services of their own, by our start command.
  ...['concurrent-adds', 'lifecycle', 'visual-regression', 'real-stripe-keys', 'street-tiles', 'workers'],
  // They take long, or a picture, of what pages are made of: that is the same under both.
  ...['lighthouse', 'readme-screenshot'],
];

const service = {
  PORT: process.env.E2E_PORT,
  SANDBOX_PORT: process.env.E2E_SANDBOX_PORT,
  DATA_DIR: process.env.E2E_DATA_DIR,
  // All tests call from one address.
  LIMIT_FAILED_AUTH_PER_ADDRESS: '100000',
};
/** They stop their database too, if they are asked kindly. */
const stoppedKindly = {
  gracefulShutdown: { signal: 'SIGTERM' as const, timeout: 20_000 },
  stdout: 'ignore' as const,
};

export default defineConfig({
  testDir: 'e2e',
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  workers: 2,
  timeout: 30_000,
  reporter: 'list',
  // One picture for every machine: what is compared is coarse enough for that.
  snapshotPathTemplate: '{testDir}/visual-regression/{arg}{ext}',
  use: {
    ...devices['Desktop Chrome'],
    baseURL,
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      args: quietBrowserArguments,
      ...(process.env.E2E_BROWSER && { executablePath: process.env.E2E_BROWSER }),
    },
  },
  // The gallery is for people to look at: it shows, and judges nothing.
  projects: [
    ...areas.map((name) => ({ name, testDir: `e2e/${name}` })),
    ...(process.env.GALLERY ? [{ name: 'gallery', testDir: 'e2e/gallery' }] : []),
    // The same specs again, against what Next alone makes of the same build.
    {
      name: 'plain-next',
      // The sandbox's and the fuzzers' start what they test themselves.
      testMatch: '{api,docs,dashboard}/*.spec.ts',
      testIgnore: ofTheHost.map((name) => `**/${name}.spec.ts`),
      grepInvert: /@host/,
      use: { baseURL: plainURL },
    },
    // Looks through what all the others left behind.
    { name: 'leak-scan', testDir: 'e2e/leak-scan', dependencies: [...areas, 'plain-next'] },
  ],
  webServer: [
    {
      ...stoppedKindly,
      command: `exec node ${startCommand.join(' ')}`,
      url: `${baseURL}/api/health/ready`,
      // Longer than a first build takes on a slow machine.
      timeout: 300_000,
      env: service,
    },
    {
      ...stoppedKindly,
      command: 'exec node e2e/support/plain-next.ts',
      url: `${plainURL}/api/health/ready`,
      timeout: 60_000,
      env: { ...service, PLAIN_PORT: process.env.E2E_PLAIN_PORT },
    },
  ],
});
