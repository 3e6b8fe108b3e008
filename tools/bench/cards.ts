/** Adding a card through the sandbox; each card is removed again, because a customer has at most 20. */
import type { Caller } from './environment.ts';
import { apiRequest, type Rate } from './load.ts';
import { inTurns, median, print, quantile, rounds, seconds } from './measure.ts';
import type { Target } from './targets.ts';

export type CardResult = Rate & { connections: number; target: string };

export async function measureCards(targets: Target[], callers: Caller[]): Promise<CardResult[]> {
  const results: CardResult[] = [];
  for (const connections of [1, 32, 256]) {
    const samples = await inTurns(targets, rounds(3), (target) =>
      addCards(target, callers.slice(0, connections), seconds(3)),
    );
    for (const [index, target] of targets.entries()) {
      const timesMs = samples[index] ?? [];
      results.push({
        connections,
        target: target.name,
        perSecond: median(timesMs.map((times) => times.length)) / seconds(3),
        p50Ms: median(timesMs.map((times) => median(times))),
        p99Ms: median(timesMs.map((times) => quantile(times, 0.99))),
      });
    }
    print(`cards, ${connections} callers`);
  }
  return results;
}

/** @returns how long each addition took, in milliseconds */
async function addCards(target: Target, callers: Caller[], durationSeconds: number): Promise<number[]> {
  const endsAt = performance.now() + durationSeconds * 1000;
  const timesMs: number[] = [];
  const url = `${target.baseUrl}/api/schedule/v1/payment/cards`;
  const body = JSON.stringify({ token: 'tok_visa', card: { addressCountry: 'US', addressZip: '94103' } });
  await Promise.all(
    callers.map(async (caller) => {
      const headers = { ...apiRequest(caller).headers, 'Content-Type': 'application/json' };
      while (performance.now() < endsAt) {
        const startedAt = performance.now();
        const response = await fetch(url, { method: 'POST', headers, body });
        const { card } = (await response.json()) as { card?: { uuid: string } };
        if (!card) throw new Error(`${target.name} returned ${response.status} without a card.`);
        timesMs.push(performance.now() - startedAt);
        const removal = await fetch(`${url}/${card.uuid}`, { method: 'DELETE', headers });
        await removal.arrayBuffer();
      }
    }),
  );
  return timesMs;
}
