import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { tryLock, waitForLock } from './lock.ts';

const folder = await temporaryFolder('lock');
afterAll(folder.remove);

it('waitForLock: stops waiting when the process is to stop', async () => {
  const file = path.join(folder.path, 'start.lock');
  const held = tryLock(file, 'exclusive');
  const stop = new AbortController();
  const waiting = waitForLock(file, 'exclusive', 3_600_000, 'Held.', stop.signal);
  stop.abort();
  await expect(waiting).rejects.toBe(stop.signal.reason);
  held?.release();
});
