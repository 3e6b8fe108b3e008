/**
 * `npm run gallery`: takes a picture of every page in every state, and writes `gallery/index.html`, which shows them. With
 * `--before FOLDER`, the pictures of an earlier release's gallery are beside them.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findOrInstallBrowsers } from './browser.ts';
import { checkout } from './checkout.ts';
import { galleryPage } from './gallery-page.ts';

const playwright = path.join(checkout, 'node_modules', '@playwright', 'test', 'cli.js');
const folder = path.join(checkout, 'gallery');
const { before } = parseArgs({ options: { before: { type: 'string' } } }).values;
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
if (before) cpSync(before, path.join(folder, 'before'), { recursive: true });
const { status } = spawnSync(
  process.execPath,
  [playwright, 'test', '--project', 'gallery', '--reporter', 'line'],
  {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, GALLERY: '1', E2E_BROWSER: findOrInstallBrowsers().chromium },
  },
);
const pictures = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const index = path.join(folder, 'index.html');
writeFileSync(index, galleryPage(pictures));
process.stdout.write(`Every picture on one page: ${index}\n`);
process.exitCode = status ?? 1;
