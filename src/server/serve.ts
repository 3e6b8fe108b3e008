import type { Services } from '#src/api/services.ts';
import { startBackgroundJobs } from './background-jobs.ts';
import { startHost } from './host.ts';

/** With the time to close the pools, less than the 10 seconds after which Docker kills a container. */
const requestsMs = 7_000;

/**
 * Serves requests in this process and runs the background jobs.
 * @returns a function that stops both, after the requests in flight
 */
export async function serve(services: Services, isDevelopment: boolean): Promise<() => Promise<void>> {
  const { settings } = services;
  const tracing = settings.OTEL_EXPORTER_OTLP_ENDPOINT
    ? (await import('./tracing.ts')).startTracing(settings)
    : undefined;
  const host = await startHost(services, isDevelopment, tracing?.middleware);
  const stopBackgroundJobs = startBackgroundJobs(services);
  return async () => {
    stopBackgroundJobs();
    await host.close({ drainMs: settings.DRAIN_SECONDS * 1_000, requestsMs });
    await tracing?.close();
  };
}
