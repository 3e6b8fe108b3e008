/** `[longitude, latitude]` in degrees, as GeoJSON has it. */
export type Point = [number, number];

/** Twice the signed area of a closed ring in square degrees. */
export function doubleArea(ring: Point[]): number {
  let sum = 0;
  for (let index = 1; index < ring.length; index++) {
    const [a, b] = [ring[index - 1], ring[index]];
    if (a && b) sum += a[0] * b[1] - b[0] * a[1];
  }
  return sum;
}

/** The centre of a closed ring's area. */
export function centroidOf(ring: Point[]): Point {
  const [origin = [0, 0]] = ring;
  // Near the origin the products are small, so that little is lost in their difference.
  const moved = ring.map(([x, y]): Point => [x - origin[0], y - origin[1]]);
  const area = doubleArea(moved);
  let [x, y] = [0, 0];
  for (let index = 1; index < moved.length; index++) {
    const [a, b] = [moved[index - 1], moved[index]];
    if (!a || !b) continue;
    const cross = a[0] * b[1] - b[0] * a[1];
    x += (a[0] + b[0]) * cross;
    y += (a[1] + b[1]) * cross;
  }
  return [origin[0] + x / (3 * area), origin[1] + y / (3 * area)];
}
