import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright';
import { programOf } from './checkout.ts';

const DOWNLOAD_MS = 180_000;
const PACKAGES_MS = 240_000;
/** Chromium without the parts that only a window needs. It takes a third less time than Chromium. */
const SHELLS = ['chromium-headless-shell', 'chrome-headless-shell'];
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

const isRoot = process.getuid?.() === 0;

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
  ...(isRoot ? ['--no-sandbox'] : []),
];

/**
 * Finds Playwright's or the system's browsers, and installs those that are missing.
 * @returns the paths of Chromium, and of its headless shell, or of Chromium again if that could not be installed
 * @throws Error that says what to install
 */
export function findOrInstallBrowsers(): { chromium: string; shell: string } {
  if (!findChromium()) download('chromium');
  else if (!findShell()) download('--only-shell', 'chromium');
  // On a person's own machine, no system package is installed only because tests would be faster.
  if (!findShell() && isRoot) installSystemPackage('chromium-headless-shell');
  if (!findChromium()) installSystemPackage('chromium');
  const found = findChromium();
  if (found) return { chromium: found, shell: findShell() ?? found };
  throw new Error('Chromium is missing and could not be installed. Install Chromium or Google Chrome.');
}

/** Playwright's Chromium includes its shell. */
function download(...parameters: string[]): void {
  run(process.execPath, [programOf('playwright'), 'install', ...parameters], DOWNLOAD_MS);
}

function findShell(): string | undefined {
  return [...playwrightShells(), ...inPath(SHELLS)].find(canStart);
}

function findChromium(): string | undefined {
  return [chromium.executablePath(), ...inPath(PROGRAMS), MAC].find(canStart);
}

/** Playwright says only where its Chromium is. The shell of the same version is in the folder beside it. */
function playwrightShells(): string[] {
  const folder = /^.*chromium-\d+/.exec(chromium.executablePath())?.[0] ?? '';
  const shell = folder.replace(/chromium-(?=\d+$)/, 'chromium_headless_shell-');
  return globSync(`${shell}/*/{chrome-headless-shell,headless_shell}{,.exe}`);
}

function inPath(names: string[]): string[] {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
}

/** A browser can be installed and not start, because libraries are missing. */
function canStart(program: string): boolean {
  return existsSync(program) && run(program, ['--version', '--no-sandbox'], 20_000);
}

function installSystemPackage(name: string): void {
  const [command = '', ...before] = isRoot ? ['apt-get'] : ['sudo', '-n', 'apt-get'];
  const options = ['-q', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=10'];
  run(command, [...before, 'update', ...options], PACKAGES_MS);
  run(command, [...before, 'install', '-y', ...options, '--no-install-recommends', name], PACKAGES_MS);
}

function run(command: string, parameters: string[], timeoutMs: number): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return (
    spawnSync(command, parameters, { stdio: 'ignore', timeout: timeoutMs, killSignal: 'SIGKILL', env })
      .status === 0
  );
}
