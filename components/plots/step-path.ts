/** A point of a plot: both from 0 to 1, `y` up. */
export type PlotPoint = { x: number; y: number };

/** Width and height of the box that paths are drawn in; `StretchedPath` fits it to the plot. */
export const pathSize = 1000;

/**
 * A step line.
 * @param points sorted by x
 * @param endX where the line ends
 * @returns the `d` of a path in a box of `pathSize`; empty without points
 */
export function stepPath(points: readonly PlotPoint[], endX: number): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const moves = rest.map(({ x, y }) => `H${across(x)}V${down(y)}`);
  return `M${across(first.x)} ${down(first.y)}${moves.join('')}H${across(endX)}`;
}

/**
 * Keeps the last point of each column.
 * @param points sorted by x
 */
export function thinPoints<Point extends PlotPoint>(points: readonly Point[], columns: number): Point[] {
  const columnOf = (point: PlotPoint) => Math.floor(point.x * columns);
  return points.filter((point, index) => {
    const next = points[index + 1];
    return index === 0 || next === undefined || columnOf(next) !== columnOf(point);
  });
}

const across = (x: number) => Math.round(x * pathSize * 10) / 10;
const down = (y: number) => Math.round((1 - y) * pathSize * 10) / 10;
