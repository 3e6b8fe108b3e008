import { AsyncLocalStorage } from 'node:async_hooks';

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
