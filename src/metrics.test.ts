import { expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics } from './metrics.ts';

const found = { unfinished: 3, stuck: 1, oldestSeconds: 60, reconciledSecondsAgo: 90, notReconciled: 2 };

function newMetrics() {
  const backlog = vi.fn(async () => found);
  const metrics = createMetrics({ pools: {}, backlog });
  const linesOf = async (name: string) =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(name));
  return { ...metrics, backlog, linesOf };
}

function stoppedClock() {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  return clock;
}

test('metrics: read the backlog once in 10 seconds', async () => {
  const { registry, backlog } = newMetrics();
  const clock = stoppedClock();
  for (const [atMs, reads] of [
    [1_000, 1],
    [11_000, 1],
    [11_001, 2],
    [21_001, 2],
  ] as const) {
    clock.mockReturnValue(atMs);
    await registry.metrics();
    expect(backlog, `at ${atMs} ms`).toHaveBeenCalledTimes(reads);
  }
});

test('metrics: a backlog that cannot be read keeps its values', async () => {
  const { backlog, linesOf } = newMetrics();
  const clock = stoppedClock();
  expect(await linesOf('scheduling_cards_stuck')).toEqual(['scheduling_cards_stuck 1']);
  clock.mockReturnValue(60_000);
  backlog.mockRejectedValueOnce(new Error('broken'));
  expect(await linesOf('scheduling_cards_stuck')).toEqual(['scheduling_cards_stuck 1']);
});

test('metrics: durations of requests are counted in buckets from 5 ms to 10 s', async () => {
  const { requests, linesOf } = newMetrics();
  requests.observe({ operation: 'getPayout', status: 200 }, 0.02);
  const lines = await linesOf('scheduling_request_duration_seconds_bucket');
  expect(lines.map((line) => /le="(.+?)".* (\d)$/.exec(line)?.slice(1).join(' '))).toEqual([
    ...['0.005 0', '0.01 0', '0.025 1', '0.05 1', '0.1 1', '0.25 1', '0.5 1', '1 1', '2.5 1', '5 1', '10 1'],
    '+Inf 1',
  ]);
});

test('metrics: events of the provider are counted by type and status', async () => {
  const { webhooks, linesOf } = newMetrics();
  webhooks.inc({ type: 'customer.deleted', status: 200 });
  expect(await linesOf('scheduling_webhook_events_total')).toEqual([
    'scheduling_webhook_events_total{type="customer.deleted",status="200"} 1',
  ]);
});

test('metrics: what several processes read alike is not added up, unlike what each counts', async () => {
  const { registry } = newMetrics();
  const aggregators = (await registry.getMetricsAsJSON()).map(({ name, aggregator }) => [name, aggregator]);
  expect(Object.fromEntries(aggregators)).toMatchObject({
    scheduling_cards_unfinished: 'max',
    scheduling_reconciliation_age_seconds: 'max',
    nodejs_eventloop_lag_seconds: 'max',
    process_cpu_seconds_total: 'sum',
    scheduling_webhook_events_total: 'sum',
  });
});
