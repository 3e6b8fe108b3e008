import type { Services } from '#src/api/services.ts';
import { startBackgroundJobs } from './background-jobs.ts';
import { startHost } from './host.ts';

const requestsEndTimeoutMs = 10_000;

/**
 * Serves requests in this process and runs the background jobs.
 * @returns a function that stops both, after the requests in flight
 */
export async function serve(services: Services, isDevelopment: boolean): Promise<() => Promise<void>> {
  const host = await startHost(services, isDevelopment);
  const stopBackgroundJobs = startBackgroundJobs(services);
  return async () => {
    stopBackgroundJobs();
    await host.close(requestsEndTimeoutMs);
  };
}
