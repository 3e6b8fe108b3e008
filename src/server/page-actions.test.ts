import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { readPageActions } from './page-actions.ts';

test('page actions: have the paths of their pages', async () => {
  const folder = await temporaryFolder('page-actions');
  onTestFinished(() => folder.remove());
  await mkdir(path.join(folder.path, 'server'));
  const node = {
    a1: { workers: { 'app/(dashboard)/page': {}, 'app/(dashboard)/payout/[month]/page': {} } },
    a2: { workers: { 'app/(dashboard)/page': {}, 'app/sign-in/page': {}, 'app/apps/pages/page': {} } },
  };
  await writeFile(
    path.join(folder.path, 'server', 'server-reference-manifest.json'),
    JSON.stringify({ node, edge: {} }),
  );
  expect(readPageActions(folder.path)).toEqual(
    new Map([
      ['/', new Set(['a1', 'a2'])],
      ['/payout/[month]', new Set(['a1'])],
      ['/sign-in', new Set(['a2'])],
      ['/apps/pages', new Set(['a2'])],
    ]),
  );
});
