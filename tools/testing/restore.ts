import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, vi } from 'vitest';

const { TMPDIR: temporary } = process.env;
const folder = mkdtempSync(path.join(tmpdir(), 'test-'));
process.env.TMPDIR = folder;

// The next file in this process must not see what this one has replaced, nor its temporary files.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  if (temporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporary;
  rmSync(folder, { recursive: true, maxRetries: 5 });
});
