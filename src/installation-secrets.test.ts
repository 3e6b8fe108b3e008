import { chown, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '#tools/testing/processes.ts';
import { installationSecrets, writePrivateFile } from './installation-secrets.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder('installation secrets');
});
afterAll(() => folder.remove());

describe('installationSecrets', () => {
  it('makes secrets once', async () => {
    const dataDir = path.join(folder.path, 'new');
    const secrets = await installationSecrets(dataDir);
    expect(await installationSecrets(dataDir)).toEqual(secrets);
  });

  it.runIf(process.getuid?.() === 0)('leaves the user of a file that root replaces', async () => {
    const file = path.join(folder.path, 'database.json');
    await writeFile(file, 'old');
    await chown(file, 12_345, 12_345);
    await writePrivateFile(file, 'new');
    const { uid, gid, mode } = await stat(file);
    expect([await readFile(file, 'utf8'), uid, gid, mode & 0o777]).toEqual(['new', 12_345, 12_345, 0o600]);
  });

  it('keeps a file that cannot be read', async () => {
    const file = path.join(folder.path, 'secrets.json');
    // A loop, because root can read a file of any mode.
    await symlink('secrets.json', file);
    await expect(installationSecrets(folder.path)).rejects.toThrow(
      `The file secrets.json in ${folder.path} cannot be read (ELOOP).`,
    );
    expect(await readlink(file)).toBe('secrets.json');
  });

  it.each(['', '{"sessionSecret": "a1b2'])('keeps a file that is not JSON: %j', async (text) => {
    const file = path.join(folder.path, 'secrets.json');
    await rm(file, { force: true });
    await writeFile(file, text);
    await expect(installationSecrets(folder.path)).rejects.toThrow(
      `The file secrets.json in ${folder.path} is not valid JSON.`,
    );
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
