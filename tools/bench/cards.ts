/** Adding a card through the sandbox, and taking it off again so that there is room for the next. */

import type { Caller } from './environment.ts';
import { median, quantile, rounds, say, seconds } from './measure.ts';
import { sentBy } from './reads.ts';
import type { Target } from './targets.ts';

export type CardResult = {
  connections: number;
  target: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
};

export async function measureCards(targets: Target[], callers: Caller[]): Promise<CardResult[]> {
  const results: CardResult[] = [];
  for (const connections of [1, 32, 256]) {
    const taken = new Map<Target, number[][]>(targets.map((target) => [target, []]));
    for (let round = -1; round < rounds(3); round += 1)
      for (const [target, times] of taken) {
        const one = await adding(target, callers.slice(0, connections), seconds(3));
        if (round >= 0) times.push(one);
      }
    for (const [target, times] of taken)
      results.push({
        connections,
        target: target.name,
        perSecond: median(times.map((one) => one.length)) / seconds(3),
        p50Ms: median(times.map((one) => median(one))),
        p99Ms: median(times.map((one) => quantile(one, 0.99))),
      });
    say(`cards, ${connections} at once`);
  }
  return results;
}

/** @returns how long each addition took, in milliseconds */
async function adding(target: Target, callers: Caller[], forSeconds: number): Promise<number[]> {
  const endsAt = performance.now() + forSeconds * 1000;
  const times: number[] = [];
  const cards = `${target.baseUrl}/api/schedule/v1/payment/cards`;
  const body = JSON.stringify({ token: 'tok_visa', card: { addressCountry: 'US', addressZip: '94103' } });
  await Promise.all(
    callers.map(async (caller) => {
      const headers = { ...sentBy(caller).headers, 'Content-Type': 'application/json' };
      while (performance.now() < endsAt) {
        const startedAt = performance.now();
        const answer = await fetch(cards, { method: 'POST', headers, body });
        const { card } = (await answer.json()) as { card?: { uuid: string } };
        if (!card) throw new Error(`${target.name} answered ${answer.status}, and no card.`);
        times.push(performance.now() - startedAt);
        const removed = await fetch(`${cards}/${card.uuid}`, { method: 'DELETE', headers });
        await removed.arrayBuffer();
      }
    }),
  );
  return times;
}
