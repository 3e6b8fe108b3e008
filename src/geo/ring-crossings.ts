import type { Point } from './point.ts';

type Edge = { index: number; from: Point; to: Point; left: number; right: number; low: number; high: number };

/**
 * The first two edges of a ring found to meet elsewhere than at a corner they share. The edges are walked from west to
 * east, each compared only with those that reach its longitude.
 * @param points the ring's corners, the first not repeated
 * @returns the indexes of the two edges' first corners
 */
export function firstCrossing(points: Point[]): [number, number] | undefined {
  const edges = points.map((from, index) => edgeOf(index, from, points[(index + 1) % points.length] ?? from));
  let active: Edge[] = [];
  for (const edge of edges.toSorted((a, b) => a.left - b.left)) {
    active = active.filter((other) => other.right >= edge.left);
    const met = active.find(
      (other) => other.low <= edge.high && other.high >= edge.low && meet(edge, other, edges.length),
    );
    if (met) return met.index < edge.index ? [met.index, edge.index] : [edge.index, met.index];
    active.push(edge);
  }
  return undefined;
}

function edgeOf(index: number, from: Point, to: Point): Edge {
  const [left, right] = from[0] < to[0] ? [from[0], to[0]] : [to[0], from[0]];
  const [low, high] = from[1] < to[1] ? [from[1], to[1]] : [to[1], from[1]];
  return { index, from, to, left, right, low, high };
}

function meet(a: Edge, b: Edge, count: number): boolean {
  if ((a.index + 1) % count === b.index) return turnsBack(a, b);
  if ((b.index + 1) % count === a.index) return turnsBack(b, a);
  const [d1, d2] = [side(b.from, b.to, a.from), side(b.from, b.to, a.to)];
  const [d3, d4] = [side(a.from, a.to, b.from), side(a.from, a.to, b.to)];
  if (d1 * d2 < 0 && d3 * d4 < 0) return true;
  return (
    (d1 === 0 && isWithin(b, a.from)) ||
    (d2 === 0 && isWithin(b, a.to)) ||
    (d3 === 0 && isWithin(a, b.from)) ||
    (d4 === 0 && isWithin(a, b.to))
  );
}

/** Whether the next edge runs back over this one. */
function turnsBack(edge: Edge, next: Edge): boolean {
  if (side(edge.from, edge.to, next.to) !== 0) return false;
  const dot =
    (edge.to[0] - edge.from[0]) * (next.to[0] - next.from[0]) +
    (edge.to[1] - edge.from[1]) * (next.to[1] - next.from[1]);
  return dot < 0;
}

function side(from: Point, to: Point, point: Point): number {
  return Math.sign((to[0] - from[0]) * (point[1] - from[1]) - (to[1] - from[1]) * (point[0] - from[0]));
}

function isWithin(edge: Edge, [x, y]: Point): boolean {
  return x >= edge.left && x <= edge.right && y >= edge.low && y <= edge.high;
}
