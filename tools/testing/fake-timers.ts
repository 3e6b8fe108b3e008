import { onTestFinished, vi } from 'vitest';

/** Who set the timers that have neither ended nor been cleared: a line of a stack. */
const callers = new Map<unknown, string>();

/**
 * Until the test ends, `setTimeout` waits for `vi.advanceTimersByTime`. Timers that Node.js itself sets stay real: at any time, a
 * connection that an earlier file's `fetch` left open sets one.
 */
export function fakeTimers(): void {
  onTestFinished(() => void vi.useRealTimers());
  const real = setTimeout;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const fake = { setTimeout, clearTimeout };
  callers.clear();
  const set = (...[callback, ms, ...values]: Parameters<typeof setTimeout<unknown[]>>) => {
    const caller = new Error().stack?.split('\n')[2] ?? '';
    if (caller.includes('node:internal/')) return real(callback, ms, ...values);
    const timer = fake.setTimeout(() => {
      callers.delete(timer);
      callback(...values);
    }, ms);
    callers.set(timer, caller);
    return timer;
  };
  globalThis.setTimeout = Object.assign(set, fake.setTimeout);
  globalThis.clearTimeout = (timer) => {
    callers.delete(timer);
    fake.clearTimeout(timer);
  };
}

/** How many timers of a module are set. `vi.getTimerCount` also counts those of services that earlier files have created. */
export function timerCount(module: string): number {
  return [...callers.values()].filter((caller) => caller.includes(module)).length;
}
