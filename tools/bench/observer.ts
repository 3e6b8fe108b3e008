/** Reads the metrics of a target as Prometheus does, and receives its traces as an OpenTelemetry collector does. */
import { once } from 'node:events';
import { createServer } from 'node:http';

/** The usual interval of Prometheus is longer. */
const scrapeIntervalMs = 5_000;

export const metricsPort = (targetPort: number) => targetPort + 80;
export const collectorPort = (targetPort: number) => targetPort + 81;

/** @throws Error if the target does not return its metrics */
export async function observe(targetPort: number): Promise<{ close: () => Promise<void> }> {
  const collector = createServer(
    (request, response) => void request.resume().on('end', () => response.end()),
  );
  await once(collector.listen(collectorPort(targetPort), '127.0.0.1'), 'listening');
  const scrape = async () => {
    const response = await fetch(`http://127.0.0.1:${metricsPort(targetPort)}/metrics`);
    if (!response.ok) throw new Error(`The metrics returned ${response.status}.`);
    await response.text();
  };
  await scrape();
  const timer = setInterval(scrape, scrapeIntervalMs);
  return {
    close: async () => {
      clearInterval(timer);
      collector.closeAllConnections();
      await once(collector.close(), 'close');
    },
  };
}
