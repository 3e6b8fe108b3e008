import { AsyncLocalStorage } from 'node:async_hooks';
import type { Metrics } from '#src/metrics.ts';
import { traceCall } from '#src/tracing.ts';
import type { CardProvider } from './provider.ts';

export type ProviderRequest = { requestId: string; status: number; elapsedMs: number };

const trace = new AsyncLocalStorage<ProviderRequest[]>();

/**
 * Collects the provider's request IDs of all calls in `run`.
 * @param requests the list to fill, for our log line
 */
export function tracingProvider<T>(requests: ProviderRequest[], run: () => Promise<T>): Promise<T> {
  return trace.run(requests, run);
}

export function noteProviderRequest(requestId: string, status: number, elapsedMs: number): void {
  trace.getStore()?.push({ requestId, status, elapsedMs });
}

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
