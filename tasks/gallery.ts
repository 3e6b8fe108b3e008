/** `npm run gallery`: a picture of every page in every state, light and dark, phone and desk, into the folder `gallery`. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { findOrInstallBrowser } from './browser.ts';

const checkout = path.join(import.meta.dirname, '..');
const playwright = path.join(checkout, 'node_modules', '@playwright', 'test', 'cli.js');
const { status } = spawnSync(
  process.execPath,
  [playwright, 'test', '--project', 'gallery', '--reporter', 'line'],
  {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, GALLERY: '1', E2E_BROWSER: findOrInstallBrowser() },
  },
);
process.exitCode = status ?? 1;
