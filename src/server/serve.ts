import type { Services } from '#src/api/services.ts';
import { startBackgroundJobs } from './background-jobs.ts';
import { startHost } from './host.ts';

const requestsEndTimeoutMs = 10_000;

/**
 * Serves requests in this process, and runs its background jobs.
 * @returns stops both; requests in flight may finish first
 */
export async function serve(services: Services, isDevelopment: boolean): Promise<() => Promise<void>> {
  const host = await startHost(services, isDevelopment);
  const stopBackgroundJobs = startBackgroundJobs(services);
  return async () => {
    stopBackgroundJobs();
    await host.close(requestsEndTimeoutMs);
  };
}
