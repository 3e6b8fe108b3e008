/** The two reads and a refusal, by the service and its controls in turns. */

import type { Caller } from './environment.ts';
import { type Aim, type Load, load, type Sent } from './load.ts';
import { median, rounds, say, seconds } from './measure.ts';
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
      // A pool of postgres.js slows down for good once callers have waited in it: no part pays for the one before.
      for (const target of targets) await target.renew?.();
      // What is judged is measured most often.
      const isJudged = connections === 32 && what !== '403';
      const taken = new Map<Target, Load[]>(targets.map((target) => [target, []]));
      for (let round = -1; round < rounds(isJudged ? 5 : 3); round += 1) {
        for (const [target, loads] of taken) {
          const one = await load({
            url: `${target.baseUrl}/api/schedule/v1/customers/${addresses[what]}`,
            connections,
            seconds: seconds(2),
            ...(what === '403' ? refused(caller) : { requests: [sentBy(caller)] }),
          });
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

/** Every refusal is counted in the database, in one row for all of these: too many at once are told to come back. */
function refused(caller: Caller): Pick<Aim, 'requests' | 'right' | 'mayRefuse'> {
  const requests = [sentBy({ ...caller, apiSecret: 'secret_test_wrong' })];
  return { requests, right: [403], mayRefuse: true };
}

export function sentBy({ apiKey, apiSecret }: Caller): Sent {
  return { headers: { 'X-AUTH-APIKEY': apiKey, 'X-AUTH-APISECRET': apiSecret } };
}

export function medians(loads: Load[]): Pick<Load, 'perSecond' | 'p50Ms' | 'p99Ms'> {
  return {
    perSecond: median(loads.map(({ perSecond }) => perSecond)),
    p50Ms: median(loads.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(loads.map(({ p99Ms }) => p99Ms)),
  };
}
