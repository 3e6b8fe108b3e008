import type { Bounds, LatLng } from './geometry.ts';

type Side = { isInside: (point: LatLng) => boolean; crossing: (a: LatLng, b: LatLng) => LatLng };

function sidesOf(box: Bounds): Side[] {
  const atLat =
    (lat: number) =>
    (a: LatLng, b: LatLng): LatLng => [lat, a[1] + ((b[1] - a[1]) * (lat - a[0])) / (b[0] - a[0])];
  const atLng =
    (lng: number) =>
    (a: LatLng, b: LatLng): LatLng => [a[0] + ((b[0] - a[0]) * (lng - a[1])) / (b[1] - a[1]), lng];
  return [
    { isInside: (point) => point[0] >= box.south, crossing: atLat(box.south) },
    { isInside: (point) => point[0] <= box.north, crossing: atLat(box.north) },
    { isInside: (point) => point[1] >= box.west, crossing: atLng(box.west) },
    { isInside: (point) => point[1] <= box.east, crossing: atLng(box.east) },
  ];
}

/**
 * What of a ring lies in a box (Sutherland and Hodgman's algorithm); parts that fall asunder stay joined along the box's edge.
 * @param ring closed or not
 * @returns an open ring, empty when nothing of it is in the box
 */
export function clippedRing(ring: readonly LatLng[], box: Bounds): LatLng[] {
  let points = [...ring];
  for (const side of sidesOf(box)) {
    const kept: LatLng[] = [];
    let previous = points.at(-1);
    for (const point of points) {
      if (previous && side.isInside(point) !== side.isInside(previous))
        kept.push(side.crossing(previous, point));
      if (side.isInside(point)) kept.push(point);
      previous = point;
    }
    points = kept;
  }
  return points;
}

/** The pieces of a line that lie in a box. */
export function clippedLine(line: readonly LatLng[], box: Bounds): LatLng[][] {
  return sidesOf(box).reduce<LatLng[][]>(
    (pieces, side) => pieces.flatMap((piece) => clippedAtSide(piece, side)),
    [[...line]],
  );
}

function clippedAtSide(line: readonly LatLng[], side: Side): LatLng[][] {
  const pieces: LatLng[][] = [];
  let piece: LatLng[] = [];
  let previous: LatLng | undefined;
  for (const point of line) {
    const isIn = side.isInside(point);
    if (previous && isIn !== side.isInside(previous)) piece.push(side.crossing(previous, point));
    previous = point;
    if (isIn) piece.push(point);
    else if (piece.length > 0) {
      pieces.push(piece);
      piece = [];
    }
  }
  if (piece.length > 1) pieces.push(piece);
  return pieces;
}
