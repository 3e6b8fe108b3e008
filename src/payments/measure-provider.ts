import type { Metrics } from '#src/metrics.ts';
import type { CardProvider } from './provider.ts';

/** @returns the provider with its calls measured */
export function measureProvider(provider: CardProvider, { provider: durations }: Metrics): CardProvider {
  const measure =
    (call: string, run: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]) => {
      const end = durations.startTimer({ call });
      try {
        const result = await run(...args);
        end({ outcome: 'ok' });
        return result;
      } catch (error) {
        end({ outcome: error instanceof Error && 'kind' in error ? String(error.kind) : 'error' });
        throw error;
      }
    };
  const calls = Object.entries(provider) as [string, (...args: unknown[]) => Promise<unknown>][];
  return Object.fromEntries(calls.map(([name, run]) => [name, measure(name, run)])) as CardProvider;
}
