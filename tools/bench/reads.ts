/** The two reads and a 403, by the service and its controls. */
import type { Caller, Environment } from './environment.ts';
import { apiRequest, type LoadOptions, load, medianRate, type Rate } from './load.ts';
import { inTurns, print, rounds, seconds } from './measure.ts';
import type { Target } from './targets.ts';

export type ReadResult = Rate & {
  operation: 'detail' | 'payout' | '403';
  connections: number;
  target: string;
};

const paths = {
  detail: '/api/schedule/v1/customers/detail',
  payout: '/api/schedule/v1/customers/payout',
  '403': '/api/schedule/v1/customers/payout',
};

export async function measureReads(targets: Target[], caller: Caller): Promise<ReadResult[]> {
  const results: ReadResult[] = [];
  for (const operation of ['detail', 'payout', '403'] as const) {
    for (const connections of [1, 32, 256]) {
      // A pool of postgres.js becomes slower for good once requests have waited in it, so each part starts with a new one.
      for (const target of targets) await target.restart?.();
      const isRequirement = connections === 32 && operation !== '403';
      const loads = await inTurns(targets, rounds(isRequirement ? 5 : 3), (target) =>
        load({
          url: target.baseUrl + paths[operation],
          connections,
          seconds: seconds(2),
          ...(operation === '403' ? wrongSecret(caller) : { requests: [apiRequest(caller)] }),
        }),
      );
      for (const [index, target] of targets.entries())
        results.push({ operation, connections, target: target.name, ...medianRate(loads[index] ?? []) });
      print(`${operation}, ${connections} connections`);
    }
  }
  return results;
}

/** Too many failures of one address at once get a 503. */
function wrongSecret(caller: Caller): Pick<LoadOptions, 'requests' | 'expectedStatuses' | 'allowsOverload'> {
  const requests = [apiRequest({ ...caller, apiSecret: 'secret_test_wrong' })];
  return { requests, expectedStatuses: [403], allowsOverload: true };
}

export type PayloadSizeResult = Rate & { customer: string };

const sizes = [
  { points: 40, cards: 0 },
  { points: 40, cards: 3 },
  { points: 40, cards: 20 },
  { points: 1_000, cards: 3 },
  { points: 10_000, cards: 3 },
  { points: 50_000, cards: 3 },
];

/** Details by the number of cards and the points of the city's outline. */
export async function measurePayloadSizes(
  { baseUrl }: Target,
  environment: Environment,
): Promise<PayloadSizeResult[]> {
  const callers: Caller[] = [];
  for (const { points, cards } of sizes) callers.push(await environment.createCaller({ points, cards }));
  const loads = await inTurns(callers, rounds(3), (caller) =>
    load({
      url: baseUrl + paths.detail,
      connections: 1,
      seconds: seconds(2),
      requests: [apiRequest(caller)],
    }),
  );
  print('payload sizes');
  return sizes.map(({ points, cards }, index) => ({
    customer: `${cards} cards, ${points.toLocaleString('en-US')} points`,
    ...medianRate(loads[index] ?? []),
  }));
}
