import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** From a read of one row to the timeout of a statement. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type PoolStats = { running: number; waiting: number };
/** Cards that wait for the completer, and the last comparison of all cards with the provider that ended. */
export type Backlog = {
  unfinished: number;
  stuck: number;
  oldestSeconds: number;
  reconciledSecondsAgo: number;
  notReconciled: number;
};

type Sources = { pools: Record<string, () => PoolStats>; backlog: () => Promise<Backlog> };
export type Metrics = ReturnType<typeof createMetrics>;

/** How long the backlog is kept: every process of an instance reads it for a scrape. */
const backlogTtlMs = 10_000;

/** The metrics of a process, as Prometheus reads them. Every alert on them is explained in docs/operations.md. */
export function createMetrics({ pools, backlog }: Sources) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // Of the event loop. An average would hide one overloaded process among several.
  for (const metric of registry.getMetricsAsArray())
    if (metric.aggregator === 'average') metric.aggregator = 'max';
  const requests = new Histogram({
    name: 'scheduling_request_duration_seconds',
    help: 'Duration of requests by operation and status. Pages are the operation "page".',
    labelNames: ['operation', 'status'],
    buckets,
    registers,
  });
  const provider = new Histogram({
    name: 'scheduling_provider_call_duration_seconds',
    help: 'Duration of calls to the payment provider, by outcome: ok, or the kind of failure.',
    labelNames: ['call', 'outcome'],
    buckets,
    registers,
  });
  const webhooks = new Counter({
    name: 'scheduling_webhook_events_total',
    help: 'Verified events from the payment provider, by type and response.',
    labelNames: ['type', 'status'],
    registers,
  });
  const security = new Counter({
    name: 'scheduling_security_events_total',
    help: 'Refused authentications, lockouts, and sign-ins.',
    labelNames: ['event', 'reason'],
    registers,
  });
  const quotaFallbacks = new Counter({
    name: 'scheduling_quota_fallbacks_total',
    help: 'Requests that a process counted on its own because the quota store failed.',
    registers,
  });
  new Gauge({
    name: 'scheduling_database_statements',
    help: 'Statements running on a connection pool, and callers waiting for it.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, stats] of Object.entries(pools))
        for (const [state, count] of Object.entries(stats())) this.set({ pool, state }, count);
    },
  });
  addBacklog(registers, backlog);
  return { registry, requests, provider, webhooks, security, quotaFallbacks };
}

/** Every process reads the same rows, so they are not added up. A gauge that cannot be read keeps its value. */
function addBacklog(registers: Registry[], backlog: Sources['backlog']): void {
  let read: { atMs: number; value: Promise<Backlog | undefined> } | undefined;
  const current = () => {
    if (!read || performance.now() - read.atMs > backlogTtlMs)
      read = { atMs: performance.now(), value: backlog().catch(() => undefined) };
    return read.value;
  };
  const gauges: [string, string, keyof Backlog][] = [
    ['scheduling_cards_unfinished', 'Cards that are being added or removed.', 'unfinished'],
    ['scheduling_cards_stuck', 'Cards whose retries are used up.', 'stuck'],
    ['scheduling_cards_oldest_seconds', 'How long the oldest unfinished card has been due.', 'oldestSeconds'],
    [
      'scheduling_reconciliation_age_seconds',
      'Time since all cards were last compared with the provider.',
      'reconciledSecondsAgo',
    ],
    [
      'scheduling_reconciliation_failures',
      'Cards that the last comparison did not find in the account, and customers that it could not compare.',
      'notReconciled',
    ],
  ];
  for (const [name, help, field] of gauges) {
    new Gauge({
      name,
      help,
      registers,
      aggregator: 'max',
      async collect() {
        const value = await current();
        if (value) this.set(value[field]);
      },
    });
  }
}

/** Lets the main process read the metrics of this worker. */
export function reportMetrics({ registry }: Metrics): void {
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries([registry]);
}
