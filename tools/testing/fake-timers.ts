import { onTestFinished, vi } from 'vitest';

/**
 * Until the test ends, `setTimeout` waits for `vi.advanceTimersByTime`. Timers that Node.js itself sets stay real: at any time, a
 * connection that an earlier file's `fetch` left open sets one, which `vi.getTimerCount` would count.
 */
export function fakeTimers(): void {
  onTestFinished(() => void vi.useRealTimers());
  const real = setTimeout;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const fake = setTimeout;
  const set = (...args: Parameters<typeof setTimeout>) => {
    const caller = new Error().stack?.split('\n')[2];
    return (caller?.includes('node:internal/') ? real : fake)(...args);
  };
  globalThis.setTimeout = Object.assign(set, fake);
}
