/**
 * `npm run gallery`: takes a picture of every page in every state, and writes `gallery/index.html`, which shows them. With
 * `--before FOLDER`, the pictures of an earlier release's gallery are beside them.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findOrInstallBrowsers } from './browser.ts';
import { checkout, programOf } from './checkout.ts';

/**
 * @param files paths within the gallery: `<section>/<state>.<mode>.png`, and `before/…` for pictures of an earlier release
 * @returns a page with a row for each state, earlier pictures before later ones, and a filter by mode
 */
export function galleryPage(files: readonly string[]): string {
  const pictures = files
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
    .flatMap((file) => {
      const [, before, page, state, mode] = /^(before\/)?(.+)\/(.+)\.([^.]+)\.png$/.exec(file) ?? [];
      return page && state && mode ? [{ file, release: before ? 'before' : 'now', page, state, mode }] : [];
    });
  const modes = [...new Set(pictures.map(({ mode }) => mode))].sort();
  const byPage = Map.groupBy(pictures, ({ page }) => page);
  const pages = [...byPage.keys()].sort();
  const sections = pages.map((page) => {
    const byState = Map.groupBy(byPage.get(page) ?? [], ({ state }) => state);
    const rows = [...byState.keys()].sort().map((state) => {
      const links = modes.flatMap((mode) =>
        (byState.get(state) ?? [])
          .filter((picture) => picture.mode === mode)
          .map(({ file, release }) => {
            const image = `<img loading="lazy" src="${file}" alt="${page}, ${state}, ${mode}, ${release}">`;
            return `<a class="picture ${mode} ${release}" href="${file}">${image}</a>`;
          }),
      );
      return `<h3>${state}</h3><div>${links.join('')}</div>`;
    });
    return `<section id="${page}"><h2>${page}</h2>${rows.join('\n')}</section>`;
  });
  const choices = ['all', ...modes].map(
    (mode, index) =>
      `<label><input type="radio" name="mode" id="${mode}"${index === 0 ? ' checked' : ''}> ${mode}</label>`,
  );
  const alone = modes.map((mode) => `body:has(#${mode}:checked) a.picture:not(.${mode}) { display: none }`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Gallery</title>
<style>
body { margin: 0 2rem 4rem; font: 15px/1.5 system-ui, sans-serif; background: #d7d7d4; color: #191a1b }
header { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 1rem 0; background: inherit }
section { scroll-margin-top: 6rem }
section div { display: flex; flex-wrap: wrap; align-items: start; gap: 1rem }
h3 { margin: 1.5rem 0 .5rem }
img { display: block; max-width: 100% }
.before::before { content: 'Before' }
.before + .now::before { content: 'Now' }
.desk-light img, .desk-dark img, .wide-light img { width: 40rem }
${alone.join('\n')}
</style>
<header><nav>${pages.map((page) => `<a href="#${page}">${page}</a>`).join(' · ')}</nav>${choices.join(' ')}</header>
${sections.join('\n')}
</html>
`;
}

if (import.meta.main) {
  const folder = path.join(checkout, 'gallery');
  const { before } = parseArgs({ options: { before: { type: 'string' } } }).values;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  if (before) cpSync(before, path.join(folder, 'before'), { recursive: true });
  const { status } = spawnSync(
    process.execPath,
    [programOf('playwright'), 'test', '--project', 'gallery', '--reporter', 'line'],
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
}
