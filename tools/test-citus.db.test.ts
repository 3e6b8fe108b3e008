import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { checkout } from './checkout.ts';
import { testDatabase } from './testing/database.ts';

const { ownerUrl, operatorUrl } = await testDatabase();
const unused = new URL(ownerUrl);
unused.port = '1';

test.each([
  ['no URL', undefined, 2, 'Give the URL of a superuser'],
  ['no URL of PostgreSQL', 'https://localhost', 1, 'The URL must start with postgres://'],
  ['a server that is not there', unused.href, 1, 'The server cannot be used'],
  ['a role that is no superuser', operatorUrl, 1, 'The role of the URL is not a superuser'],
  ['a server without Citus', ownerUrl, 1, 'The server has no Citus'],
])('npm run test:citus: refuses %s', (_case, url, code, sentence) => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['tools/test-citus.ts', ...(url === undefined ? [] : [url])],
    { cwd: checkout, encoding: 'utf8' },
  );
  expect(stderr).toContain(`Nothing was tested, and nothing was changed. ${sentence}`);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(status).toBe(code);
});
