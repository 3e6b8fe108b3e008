import getPort from 'get-port';
import { expect, test } from '../support/fixtures.ts';
import { startOwnService, workersOf } from '../support/own-service.ts';

test('WEB_CONCURRENCY: several processes serve one port, a killed one is replaced, and all stop on SIGTERM', async ({
  browserName: _browserName,
}) => {
  test.setTimeout(120_000);
  const metricsPort = await getPort();
  const service = await startOwnService({ WEB_CONCURRENCY: '2', METRICS_PORT: `${metricsPort}` });
  try {
    const live = async () => (await fetch(`${service.url}/api/health/live`)).status;
    const [first = 0, second, ...more] = workersOf(service.processId);
    expect([second, more]).toEqual([expect.any(Number), []]);
    expect(await live()).toBe(200);

    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toContain(
      'scheduling_request_duration_seconds_count{operation="health.live",status="200"} 1',
    );

    process.kill(first, 'SIGKILL');
    await expect.poll(service.output, { timeout: 30_000 }).toContain('Starting another one');
    expect(await live()).toBe(200);
    await expect.poll(() => workersOf(service.processId), { timeout: 30_000 }).toHaveLength(2);
    const after = workersOf(service.processId);
    expect(after).toContain(second);
    expect(after).not.toContain(first);
    // Only its replacement is left. Connections to the killed process are closed.
    process.kill(second ?? 0, 'SIGKILL');
    await expect.poll(() => live().catch(String), { timeout: 30_000 }).toBe(200);
    await expect.poll(() => workersOf(service.processId), { timeout: 30_000 }).toHaveLength(2);

    expect(await service.stop()).toBe(0);
    expect(service.output()).toContain('Stopped');
    for (const id of [first, ...after]) expect(() => process.kill(id, 0)).toThrow('ESRCH');
  } finally {
    await service.stop();
  }
});
