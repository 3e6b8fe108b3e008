import { startHousekeeping } from './background-jobs.ts';
import { startHost } from './host.ts';

const REQUESTS_END_WAIT_MS = 10_000;

/**
 * Answers requests in this process, and keeps house. The environment must be whole.
 * @returns what ends both; requests under way may finish first
 */
export async function serve(isDevelopment: boolean): Promise<() => Promise<void>> {
  const host = await startHost(isDevelopment);
  const stopHousekeeping = startHousekeeping();
  return async () => {
    stopHousekeeping();
    await host.close(REQUESTS_END_WAIT_MS);
  };
}
