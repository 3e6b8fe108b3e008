import type { Metrics } from '#src/metrics.ts';
import { traceCall } from '#src/tracing.ts';
import type { CardProvider } from './provider.ts';

/** @returns the provider with its calls measured and traced */
export function measureProvider(provider: CardProvider, metrics: Metrics | undefined): CardProvider {
  const measure =
    (call: string, run: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]) => {
      const end = metrics?.provider.startTimer({ call });
      try {
        const result = await traceCall(`stripe ${call}`, { 'server.address': 'stripe' }, () => run(...args));
        end?.({ outcome: 'ok' });
        return result;
      } catch (error) {
        end?.({ outcome: error instanceof Error && 'kind' in error ? String(error.kind) : 'error' });
        throw error;
      }
    };
  const calls = Object.entries(provider) as [string, (...args: unknown[]) => Promise<unknown>][];
  return Object.fromEntries(calls.map(([name, run]) => [name, measure(name, run)])) as CardProvider;
}
