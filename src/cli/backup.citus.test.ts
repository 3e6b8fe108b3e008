import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { holdInstanceLock } from '#db/instance-lock.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { operatorOn } from './testing.ts';

const database = await testDatabase();
const operator = operatorOn(database, { DATABASE_OWNER_URL: database.ownerUrl });

test('backup: refuses while the service runs, because nodes have no snapshot in common', async () => {
  const lock = holdInstanceLock(database.url);
  await expect.poll(lock.instanceId).not.toBeNull();
  const { code, stderr } = await operator.run('backup backup.sql.gz');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('Nothing was backed up: the service is running'),
  ]);
  expect(existsSync(path.join(operator.folder, 'backup.sql.gz'))).toBe(false);
  await lock.close();
  expect((await operator.run('backup backup.sql.gz')).code).toBe(0);
});
