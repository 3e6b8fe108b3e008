import { afterAll, vi } from 'vitest';

// The next file in this process must not see what this one has replaced.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
