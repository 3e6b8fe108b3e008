import type { Position } from './position.ts';

type Edge = {
  index: number;
  from: Position;
  to: Position;
  left: number;
  right: number;
  low: number;
  high: number;
};

/**
 * Finds two edges of a ring that meet other than at the corner they share. A sweep from west to east compares each edge only
 * with those that reach its longitude. Why not turf: docs/decisions/0020-geometry.md.
 * @param corners of the ring, the first not repeated
 * @returns the indexes of the two edges' first corners
 */
export function firstCrossing(corners: Position[]): [number, number] | undefined {
  const edges = corners.map((from, index) =>
    edgeOf(index, from, corners[(index + 1) % corners.length] ?? from),
  );
  let active: Edge[] = [];
  for (const edge of edges.toSorted((a, b) => a.left - b.left)) {
    active = active.filter((other) => other.right >= edge.left);
    const crossed = active.find(
      (other) => other.low <= edge.high && other.high >= edge.low && doMeet(edge, other, edges.length),
    );
    if (crossed) return [Math.min(crossed.index, edge.index), Math.max(crossed.index, edge.index)];
    active.push(edge);
  }
  return undefined;
}

function edgeOf(index: number, from: Position, to: Position): Edge {
  const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])];
  const [low, high] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])];
  return { index, from, to, left, right, low, high };
}

function doMeet(a: Edge, b: Edge, count: number): boolean {
  if ((a.index + 1) % count === b.index) return turnsBack(a, b);
  if ((b.index + 1) % count === a.index) return turnsBack(b, a);
  // Edges on one line need no check: where the ring leaves the line or turns back, it meets one of them.
  const isSplit = (one: Edge, other: Edge) =>
    side(other.from, other.to, one.from) !== side(other.from, other.to, one.to);
  return isSplit(a, b) && isSplit(b, a);
}

/** Whether the next edge runs back over this one: a spike. */
function turnsBack(edge: Edge, next: Edge): boolean {
  if (side(edge.from, edge.to, next.to) !== 0) return false;
  const dot =
    (edge.to[0] - edge.from[0]) * (next.to[0] - next.from[0]) +
    (edge.to[1] - edge.from[1]) * (next.to[1] - next.from[1]);
  return dot < 0;
}

function side(from: Position, to: Position, point: Position): number {
  return Math.sign((to[0] - from[0]) * (point[1] - from[1]) - (to[1] - from[1]) * (point[0] - from[0]));
}
