import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { checkout } from './checkout.ts';

const DOWNLOAD_MS = 180_000;
const PACKAGES_MS = 240_000;
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** For a browser without a display, sound or calls home; root may only run it without its sandbox. */
export const quietBrowserArguments = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Letters of the same shape and width on every machine, so that pictures can be compared.
  '--font-render-hinting=none',
  '--disable-lcd-text',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/**
 * A Chromium that runs here: Playwright's own, else the system's; where there is neither, one is installed, from where
 * Playwright has its own or from the system's packages.
 * @returns the path of the program
 * @throws Error with a sentence that says what to install
 */
export function findOrInstallBrowser(): string {
  const found = findBrowser();
  if (found) return found;
  const cli = path.join(checkout, 'node_modules', '@playwright', 'test', 'cli.js');
  run(process.execPath, [cli, 'install', 'chromium'], DOWNLOAD_MS);
  return findBrowser() ?? installFromSystemPackages();
}

function findBrowser(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const ofSystem = PROGRAMS.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [chromium.executablePath(), ...ofSystem, MAC].find(canStart);
}

/** One whose libraries are missing is there, and yet of no use. */
function canStart(program: string): boolean {
  return existsSync(program) && run(program, ['--version', '--no-sandbox'], 20_000);
}

function installFromSystemPackages(): string {
  const isRoot = process.getuid?.() === 0;
  const [command = '', ...before] = isRoot ? ['apt-get'] : ['sudo', '-n', 'apt-get'];
  run(command, [...before, 'update', '-q'], PACKAGES_MS);
  run(command, [...before, 'install', '-y', '-q', '--no-install-recommends', 'chromium'], PACKAGES_MS);
  const installed = findBrowser();
  if (installed) return installed;
  throw new Error(
    'There is no Chromium here and none could be installed: install Chromium or Google Chrome.',
  );
}

function run(command: string, parameters: string[], waitMs: number): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return (
    spawnSync(command, parameters, { stdio: 'ignore', timeout: waitMs, killSignal: 'SIGKILL', env })
      .status === 0
  );
}
