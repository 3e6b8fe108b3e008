import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { Services } from '#src/api/services.ts';
import { listen } from './ports.ts';

const scrapeTimeoutMs = 5_000;
/** After the first worker has responded. */
const otherWorkersTimeoutMs = 1_000;

/**
 * Serves `/metrics` on METRICS_PORT, so that a proxy that publishes the service does not publish them.
 * @returns a function that stops it
 */
export async function serveMetrics({ settings, metrics, log }: Services): Promise<() => Promise<void>> {
  const { HOST, METRICS_PORT, WEB_CONCURRENCY } = settings;
  if (METRICS_PORT === undefined || !metrics) return async () => {};
  const workers = WEB_CONCURRENCY > 1 ? collectFromWorkers(log) : undefined;
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end();
    try {
      const text = await (workers ? workers() : metrics.registry.metrics());
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

/**
 * Unlike `AggregatorRegistry.clusterMetrics`, does not need a response from every worker. Counts do not go down when a
 * worker does not respond or exits, because Prometheus would read that as a reset and count the rest again.
 * @returns a function that reads the metrics of all workers, and rejects when none of them responds
 */
function collectFromWorkers(log: Services['log']): () => Promise<string> {
  const latest = new Map<Worker, { type: string }[]>();
  let exited: object[] = [];
  cluster.on('message', (worker, { metrics }) => {
    // A message can arrive after the exit.
    if (metrics && !worker.isDead()) latest.set(worker, metrics.flat());
  });
  cluster.on('exit', (worker) => {
    const counts = latest.get(worker)?.filter(({ type }) => type !== 'gauge') ?? [];
    exited = AggregatorRegistry.aggregate([exited, counts]).getMetricsAsArray();
    latest.delete(worker);
  });
  const request = async (worker: Worker) => {
    // The library responds to it in the worker.
    worker.send({ type: 'prom-client:getMetricsReq' }, () => {});
    await once(worker, 'message', { signal: AbortSignal.timeout(scrapeTimeoutMs) }).catch((error) => {
      log.warn({ processId: worker.process.pid }, 'A worker process did not respond.');
      throw error;
    });
  };
  return async () => {
    const responses = Object.values(cluster.workers ?? {}).flatMap((worker) =>
      worker ? request(worker) : [],
    );
    await Promise.any(responses);
    const others = setTimeout(otherWorkersTimeoutMs, undefined, { ref: false });
    await Promise.race([Promise.allSettled(responses), others]);
    return AggregatorRegistry.aggregate([exited, ...latest.values()]).metrics();
  };
}
