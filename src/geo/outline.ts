import { boundsOf, type LatLng, stretchAt } from './geometry.ts';

/**
 * A ring with the fewest points that looks the same when drawn at a given size (Douglas and Peucker's algorithm).
 * @param ring closed: the last point repeats the first
 * @param sizePx the longer side of the drawing; the outline strays by half a pixel at most
 * @returns a closed ring, a selection of the given points
 */
export function drawnOutline(ring: readonly LatLng[], sizePx: number): LatLng[] {
  if (ring.length <= 5) return [...ring];
  const { south, north, west, east } = boundsOf(ring);
  const stretch = stretchAt((south + north) / 2);
  const longerSide = Math.max(north - south, (east - west) / stretch);
  const flat = ring.map(([lat, lng]): [number, number] => [lng / stretch, lat]);
  const far = farthestFrom(flat, 0, 0, flat.length - 1).index;
  const kept = new Set([0, far, flat.length - 1]);
  const tolerance = longerSide / sizePx / 2;
  for (const span of [
    [0, far],
    [far, flat.length - 1],
  ] as const) {
    keepBends(flat, span, tolerance, kept);
  }
  return ring.filter((_, index) => kept.has(index));
}

type Flat = readonly (readonly [number, number])[];

function keepBends(flat: Flat, span: readonly [number, number], tolerance: number, kept: Set<number>): void {
  const open = [span];
  for (let next = open.pop(); next; next = open.pop()) {
    const [first, last] = next;
    if (last - first < 2) continue;
    const { index, distance } = farthestFrom(flat, first, first, last);
    if (distance <= tolerance) continue;
    kept.add(index);
    open.push([first, index], [index, last]);
  }
}

/** The point between `first` and `last` that is farthest from the straight line between `from` and `last`. */
function farthestFrom(
  flat: Flat,
  from: number,
  first: number,
  last: number,
): { index: number; distance: number } {
  const start = flat[from] ?? [0, 0];
  const end = flat[last] ?? start;
  const dx = end[0] - start[0];
  const dy = end[1] - start[1];
  const lengthSquared = dx * dx + dy * dy;
  let index = first + 1;
  let distance = -1;
  for (let at = first + 1; at < last; at++) {
    const point = flat[at] ?? start;
    const px = point[0] - start[0];
    const py = point[1] - start[1];
    const along = lengthSquared === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / lengthSquared));
    const away = Math.hypot(px - along * dx, py - along * dy);
    if (away > distance) [index, distance] = [at, away];
  }
  return { index, distance };
}
