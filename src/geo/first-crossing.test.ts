import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstCrossing } from './first-crossing.ts';
import type { Position } from './position.ts';

const cross = ([a, b]: Position, [c, d]: Position) => a * d - b * c;
const minus = ([a, b]: Position, [c, d]: Position): Position => [a - c, b - d];
const isBetween = (value: number, a: number, b: number) => value >= Math.min(a, b) && value <= Math.max(a, b);

/** Whether two edges have a point in common, by the parameters of their lines. */
function doMeet([a, b]: [Position, Position], [c, d]: [Position, Position]): boolean {
  const [r, s, from] = [minus(b, a), minus(d, c), minus(c, a)];
  const determinant = cross(r, s);
  if (determinant !== 0)
    return [cross(from, s), cross(from, r)].every((share) => isBetween(share / determinant, 0, 1));
  if (cross(from, r) !== 0) return false;
  const isOn = (point: Position, [e, f]: [Position, Position]) =>
    isBetween(point[0], e[0], f[0]) && isBetween(point[1], e[1], f[1]);
  return isOn(c, [a, b]) || isOn(d, [a, b]) || isOn(a, [c, d]) || isOn(b, [c, d]);
}

/** All pairs of edges of a ring that meet other than at the corner they share. */
function crossingsOf(corners: Position[]): string[] {
  const cornerAt = (index: number) => corners[index % corners.length] as Position;
  const edges = corners.map((_, index): [Position, Position] => [cornerAt(index), cornerAt(index + 1)]);
  return edges.flatMap((edge, index) =>
    edges.slice(index + 1).flatMap((other, offset) => {
      const at = index + 1 + offset;
      const isNext = at === index + 1;
      const isLast = index === 0 && at === corners.length - 1;
      const turn = (first: [Position, Position], second: [Position, Position]) => {
        const [u, v] = [minus(first[1], first[0]), minus(second[1], second[0])];
        return cross(u, v) === 0 && u[0] * v[0] + u[1] * v[1] < 0;
      };
      const isFound = (isNext && turn(edge, other)) || (isLast && turn(other, edge));
      return isFound || (!isNext && !isLast && doMeet(edge, other)) ? [`${index} ${at}`] : [];
    }),
  );
}

it('firstCrossing: finds one of the pairs of edges that meet, if there are any', () => {
  const coordinate = fc.integer({ min: 0, max: 4 });
  const ring = fc
    .array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 8 })
    // Repeated positions are dropped before.
    .filter((corners) => corners.every((one, index) => String(one) !== String(corners.at(index - 1))));
  fc.assert(
    fc.property(ring, (corners) => {
      const [found, all] = [firstCrossing(corners)?.join(' '), crossingsOf(corners)];
      if (all.length === 0) expect(found).toBeUndefined();
      else expect(all).toContain(found);
    }),
    { numRuns: 5_000 },
  );
});

it.each<[string, string, [number, number] | undefined]>([
  ['a square', '[[0,0],[2,0],[2,2],[0,2]]', undefined],
  ['a square with a corner in the middle of a side', '[[0,0],[1,0],[2,0],[2,2],[0,2]]', undefined],
  ['a bow-tie', '[[0,0],[2,2],[2,0],[0,2]]', [0, 2]],
  ['sides on one line that do not meet', '[[0,0],[1,0],[1,1],[2,1],[2,0],[3,0],[3,2],[0,2]]', undefined],
])('firstCrossing: of %s', (_, corners, expected) => {
  expect(firstCrossing(JSON.parse(corners))).toEqual(expected);
});
