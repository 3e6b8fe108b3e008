import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { checkout } from './checkout.ts';

const DOWNLOAD_MS = 180_000;
const PACKAGES_MS = 240_000;
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** No display, sound, or background requests. As root, Chromium runs only without its sandbox. */
export const quietBrowserArguments = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The same font rendering on every machine.
  '--font-render-hinting=none',
  '--disable-lcd-text',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/**
 * Finds Playwright's Chromium or the system's, and installs one if there is none.
 * @returns the path of the program
 * @throws Error that says what to install
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

/** A Chromium can be installed and not start, because libraries are missing. */
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
  throw new Error('Chromium is missing and could not be installed. Install Chromium or Google Chrome.');
}

function run(command: string, parameters: string[], timeoutMs: number): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return (
    spawnSync(command, parameters, { stdio: 'ignore', timeout: timeoutMs, killSignal: 'SIGKILL', env })
      .status === 0
  );
}
