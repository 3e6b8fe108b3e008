import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AggregatorRegistry } from 'prom-client';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { services } from '#src/api/services.ts';
import { retriesMax } from '#src/cards/lease-queries.ts';
import { countBacklog } from '#src/cards/list-cards.ts';
import { add } from '#src/cards/tests/support.ts';
import { serveMetrics } from '#src/server/metrics-server.ts';
import { checkout } from '#tools/checkout.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { unusedPort } from '#tools/testing/listen.ts';

const port = await unusedPort();
const service = await testService({ METRICS_PORT: `${port}` });
const folder = path.join(checkout, 'deploy', 'prometheus');

afterAll(await serveMetrics(services()));

async function scrape(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching('text/plain'),
  ]);
  return response.text();
}

test('metrics: count requests, provider calls, security events, and unfinished cards', async () => {
  const customer = await newCustomer(service.db);
  await call(getCustomer, customer);
  await call(getCustomer, { ...customer, apiSecret: `${customer.apiSecret.slice(0, -1)}!` });
  await add(customer, 'tok_visa');
  await service.control('POST faults', { operation: 'setupIntents.create', kind: '500', times: 10 });
  await add(customer, 'tok_mastercard');
  await service.control('DELETE faults');
  await service.sql`update cards set retries = ${retriesMax} where customer_id = ${customer.id} and state = 'pending'`;
  await service.sql`
    update cards set created_at = (created_at at time zone 'utc' - interval '3 days') at time zone 'utc'`;
  expect((await countBacklog(service.db)).reconciledSecondsAgo).toBeGreaterThanOrEqual(3 * 86_400);
  await service.sql`insert into reconciliations (lease_until, counts, finished_at, started_at) values
    (now(), '{"unknown": 9, "missing": 9, "failed": 9}', now(), now() - interval '2 days'),
    (now(), '{"unknown": 2, "missing": 1, "failed": 1}', now() - interval '90 seconds', now() - interval '1 day'),
    (now(), '{"unknown": 9, "missing": 9, "failed": 9}', null, now())`;
  const text = await scrape();
  const [, age] = /^scheduling_reconciliation_age_seconds (.+)$/m.exec(text) ?? [];
  expect(Number(age)).toBeGreaterThanOrEqual(90);
  for (const line of [
    'scheduling_request_duration_seconds_count{operation="getCustomer",status="200"} 1',
    'scheduling_request_duration_seconds_count{operation="getCustomer",status="403"} 1',
    'scheduling_provider_call_duration_seconds_count{call="saveCard",outcome="ok"} 1',
    'scheduling_provider_call_duration_seconds_count{call="saveCard",outcome="unavailable"} 1',
    'scheduling_security_events_total{event="authentication.refused",reason="secret_invalid"} 1',
    'scheduling_database_statements{pool="reads",state="waiting"} 0',
    'scheduling_database_statements{pool="limits",state="waiting"} 0',
    'scheduling_quota_fallbacks_total 0',
    'scheduling_cards_unfinished 1',
    'scheduling_cards_stuck 1',
    'scheduling_reconciliation_failures 2',
  ])
    expect(text.split('\n')).toContain(line);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.]+/m);
  expect(text).not.toContain(customer.apiKey);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
});

test('metrics: a measured provider deletes a customer, also one that is deleted already', async () => {
  const customer = await newCustomer(service.db);
  await add(customer, 'tok_visa');
  const [row] = await service.sql`select provider_customer_id as id from customers where id = ${customer.id}`;
  const { provider } = services();
  for (const _ of [1, 2]) await provider.deleteCustomer(row?.id);
  expect(await provider.isCustomerDeleted(row?.id)).toBe(true);
});

test('metrics: of several processes, the event loop lag is that of the slowest', async () => {
  const name = 'nodejs_eventloop_lag_p99_seconds';
  const metric = await services().metrics?.registry.getSingleMetric(name)?.get();
  const processes = [0.4, 0.01, 0.01, 0.01].map((value) => [{ ...metric, values: [{ value, labels: {} }] }]);
  const text = await AggregatorRegistry.aggregate(processes).metrics();
  expect(text).toContain(`\n${name} 0.4\n`);
});

test('metrics: alerts and dashboard use only metrics that exist, and each alert has a runbook', async () => {
  const text = await scrape();
  const exist = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const [alerts, dashboard, docs] = await Promise.all(
    [
      path.join(folder, 'alerts.yaml'),
      path.join(checkout, 'deploy/grafana.json'),
      path.join(checkout, 'docs/operations.md'),
    ].map((file) => readFile(file, 'utf8')),
  );
  const used = [...`${alerts}${dashboard}`.matchAll(/\b(?:scheduling|nodejs|process)_[a-z_0-9]+/g)].map(
    ([name]) => name.replace(/_(bucket|count)$/, ''),
  );
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !exist.has(name))).toEqual([]);
  type Rules = { groups: { rules: { alert: string; annotations: { runbook: string } }[] }[] };
  for (const { alert, annotations } of (parse(alerts ?? '') as Rules).groups.flatMap(({ rules }) => rules)) {
    expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    expect(docs).toContain(`\n### ${alert}\n`);
  }
});

/** Where Prometheus is installed, such as Debian's. */
const promtool = (args: string[], input?: string) =>
  spawnSync('promtool', args, { cwd: folder, input, encoding: 'utf8' });
const isInstalled = promtool(['--version']).status === 0;

test.runIf(isInstalled)(
  'metrics: promtool accepts the metrics, and the tests of the alerts pass',
  async () => {
    // Names of the library's own metrics break the naming rules.
    const ours = (await scrape()).split('\n').filter((line) => line.includes('scheduling_'));
    for (const { status, stdout, stderr } of [
      promtool(['test', 'rules', 'alerts.test.yaml']),
      promtool(['check', 'metrics'], `${ours.join('\n')}\n`),
    ])
      expect([status, stdout + stderr]).toEqual([0, expect.anything()]);
  },
);
