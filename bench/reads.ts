/** The two reads and a refusal, by the service and its controls in turns. */
import { type Load, load } from './load.ts';
import { median, rounds, say, seconds } from './measure.ts';
import type { Caller } from './place.ts';
import type { Target } from './targets.ts';

export type ReadResult = {
  what: 'detail' | 'payout' | '403';
  connections: number;
  target: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
};

const addresses = { detail: 'detail', payout: 'payout', '403': 'payout' };

/** @param targets in whose turn each round goes, so that what else the machine does hits all alike */
export async function measureReads(targets: Target[], caller: Caller): Promise<ReadResult[]> {
  const results: ReadResult[] = [];
  for (const what of ['detail', 'payout', '403'] as const) {
    for (const connections of [1, 32, 256]) {
      // What is judged is measured longest.
      const isJudged = connections === 32 && what !== '403';
      const taken = new Map<Target, Load[]>(targets.map((target) => [target, []]));
      for (let round = -1; round < rounds(isJudged ? 5 : 2); round += 1) {
        for (const [target, loads] of taken) {
          const one = await load({
            url: `${target.baseUrl}/api/schedule/v1/customers/${addresses[what]}`,
            connections,
            seconds: seconds(isJudged && round >= 0 ? 3 : 2),
            headers: headersOf(what === '403' ? { ...caller, apiSecret: 'secret_test_wrong' } : caller),
          });
          expectOnly(what === '403' ? ['403', '503'] : ['200'], one, target.name);
          // The first round warms up.
          if (round >= 0) loads.push(one);
        }
      }
      for (const [target, loads] of taken)
        results.push({ what, connections, target: target.name, ...medians(loads) });
      say(`${what}, ${connections} connections`);
    }
  }
  return results;
}

export function headersOf({ apiKey, apiSecret }: Caller): Record<string, string> {
  return { 'X-AUTH-APIKEY': apiKey, 'X-AUTH-APISECRET': apiSecret };
}

export function medians(loads: Load[]): Pick<Load, 'perSecond' | 'p50Ms' | 'p99Ms'> {
  return {
    perSecond: median(loads.map(({ perSecond }) => perSecond)),
    p50Ms: median(loads.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(loads.map(({ p99Ms }) => p99Ms)),
  };
}

/** A fast wrong answer is no result. Refusals are counted in one row, so that too many at once are too many. */
function expectOnly(right: string[], { statuses, lost }: Load, name: string): void {
  if (lost > 0 || Object.keys(statuses).some((status) => !right.includes(status)))
    throw new Error(
      `${name} answered ${JSON.stringify(statuses)} and lost ${lost}, where ${right} is right.`,
    );
}
