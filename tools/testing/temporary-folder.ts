import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type TemporaryFolder = { path: string; remove: () => Promise<void> };

/** @returns a new folder that may hold the data of an embedded PostgreSQL */
export async function temporaryFolder(name: string): Promise<TemporaryFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), `scheduling-service-${name}-`));
  // If root runs the tests, PostgreSQL runs as another user, which must be able to enter the folder.
  await chmod(folder, 0o711);
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }) };
}
