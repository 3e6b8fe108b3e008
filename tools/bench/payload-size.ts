/** How the answer's size costs: cards on file, and points of the city's outline. */

import type { Place } from './environment.ts';
import { type Load, load } from './load.ts';
import { rounds, say, seconds } from './measure.ts';
import { medians, sentBy } from './reads.ts';
import type { Target } from './targets.ts';

export type ShapeResult = { shape: string; perSecond: number; p50Ms: number; p99Ms: number };

const shapes = [
  { points: 40, cards: 0 },
  { points: 40, cards: 3 },
  { points: 40, cards: 20 },
  { points: 1_000, cards: 3 },
  { points: 10_000, cards: 3 },
  { points: 50_000, cards: 3 },
];

export async function measureShapes({ baseUrl }: Target, place: Place): Promise<ShapeResult[]> {
  const callers = [];
  for (const { points, cards } of shapes) callers.push(await place.newCaller({ points, cards }));
  const taken = callers.map((): Load[] => []);
  for (let round = -1; round < rounds(3); round += 1)
    for (const [index, caller] of callers.entries()) {
      const url = `${baseUrl}/api/schedule/v1/customers/detail`;
      const one = await load({ url, connections: 1, seconds: seconds(2), requests: [sentBy(caller)] });
      if (round >= 0) taken[index]?.push(one);
    }
  say('cards and outlines');
  return shapes.map(({ points, cards }, index) => ({
    shape: `${cards} cards, ${points.toLocaleString('en-US')} points`,
    ...medians(taken[index] ?? []),
  }));
}
