import { createServer } from 'node:http';
import { AggregatorRegistry } from 'prom-client';
import type { Services } from '#src/api/services.ts';
import { listen } from './ports.ts';

/**
 * Serves `/metrics` on METRICS_PORT, so that a proxy that publishes the service does not publish them.
 * @returns a function that stops it
 */
export async function serveMetrics({ settings, metrics, log }: Services): Promise<() => Promise<void>> {
  const { HOST, METRICS_PORT, WEB_CONCURRENCY } = settings;
  if (METRICS_PORT === undefined || !metrics) return async () => {};
  const workers = WEB_CONCURRENCY > 1 ? new AggregatorRegistry() : undefined;
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end();
    try {
      const text = workers ? await workers.clusterMetrics() : await metrics.registry.metrics();
      return response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(text);
    } catch (error) {
      log.warn({ error }, 'The metrics could not be read.');
      return response.writeHead(503).end();
    }
  });
  await listen(server, { host: HOST, port: METRICS_PORT }, 'METRICS_PORT');
  return async () => {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  };
}
