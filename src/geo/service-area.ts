import { area } from '@turf/area';
import { bbox } from '@turf/bbox';
import { simplify } from '@turf/simplify';
import type { BBox } from 'geojson';
import {
  distanceMiles,
  formatRing,
  longerSideDegrees,
  longitudeStretch,
  type Position,
  parseRing,
} from './position.ts';

export type ServiceArea = {
  center: Position;
  /** Closed: the last position repeats the first. */
  ring: Position[];
  /** The positions that a drawing needs: at the size of a page, it deviates from the ring by at most half a pixel. */
  outline: Position[];
  outlineBox: BBox;
  simplified: SimplifiedRing;
  squareMiles: number;
};

/** A ring as a page embeds it: the outline of a large one, all of a small one. */
export type SimplifiedRing = {
  /** The format of `parseRing`: a third of the size of the same positions as component properties. */
  text: string;
  /** Drawn with more pixels on its longer side, the ring differs visibly from the full one; infinite for the full ring. */
  fullDetailAbovePx: number;
};

/** The longer side of most maps before zooming; a larger map requests the full ring immediately. */
const outlineSizePx = 720;
/** Rings up to this length are embedded in full. */
const embeddedPositionsMax = 1000;
const squareMetersPerSquareMile = 1609.344 ** 2;

export function serviceAreaOf(city: {
  polygonPoints: string;
  latitude: string;
  longitude: string;
}): ServiceArea {
  const { polygonPoints: text, latitude, longitude } = city;
  const center: Position = [Number(longitude), Number(latitude)];
  const ring = parseRing(text);
  const outline = simplifyRing(ring, outlineSizePx);
  const outlineBox = boxOf(outline);
  const simplified =
    ring.length > embeddedPositionsMax
      ? {
          text: formatRounded(outline, longerSideDegrees(outlineBox) / outlineSizePx),
          fullDetailAbovePx: outlineSizePx,
        }
      : { text, fullDetailAbovePx: Number.POSITIVE_INFINITY };
  const squareMeters = area({ type: 'Polygon', coordinates: [ring] });
  return {
    center,
    ring,
    outline,
    outlineBox,
    simplified,
    squareMiles: squareMeters / squareMetersPerSquareMile,
  };
}

/** Rounded to less than a quarter of a pixel. */
function formatRounded(outline: Position[], pixelDegrees: number): string {
  const decimals = Math.max(0, Math.ceil(-Math.log10(pixelDegrees / 4)));
  const round = (degrees: number) => Number(degrees.toFixed(decimals));
  return formatRing(outline.map(([longitude, latitude]) => [round(longitude), round(latitude)]));
}

const boxOf = (ring: Position[]) => bbox({ type: 'LineString', coordinates: ring });

/**
 * turf's Douglas-Peucker algorithm recurses once per position and takes quadratic time in the worst case, so it gets a long
 * ring in parts: docs/decisions/0020-geometry.md.
 */
const partLength = 2000;

/**
 * A ring with the fewest positions that looks the same when drawn at a size.
 * @param ring closed
 * @param sizePx the longer side of the drawing; the result deviates from the ring by at most half a pixel
 * @returns a closed selection of the ring's positions
 */
export function simplifyRing(ring: Position[], sizePx: number): Position[] {
  const box = boxOf(ring);
  const stretch = longitudeStretch((box[1] + box[3]) / 2);
  const flat = ring.map(([longitude, latitude]): Position => [longitude / stretch, latitude]);
  const partCount = Math.ceil((flat.length - 1) / partLength);
  const parts = Array.from({ length: partCount }, (_, index) =>
    flat.slice(index * partLength, (index + 1) * partLength + 1),
  );
  const { coordinates } = simplify(
    { type: 'MultiLineString', coordinates: parts },
    { tolerance: longerSideDegrees(box) / sizePx / 2, highQuality: true, mutate: true },
  );
  // turf returns the same arrays it received.
  const selected = new Set<number[]>(coordinates.flat());
  return ring.filter((_, index) => selected.has(flat[index] ?? []));
}

export type Extent = { direction: string; miles: number };

const directions = ['North', 'Northeast', 'East', 'Southeast', 'South', 'Southwest', 'West', 'Northwest'];

/**
 * How far a service area extends from its center in the eight directions of the compass: the distance to the farthest
 * point where a straight line crosses its edge.
 * @returns zero miles in a direction in which the area does not lie
 */
export function extentsOf(center: Position, ring: readonly Position[]): Extent[] {
  return directions.map((direction, index) => ({
    direction,
    miles: distanceMiles(center, farthestCrossing(center, ring, (index * Math.PI) / 4)),
  }));
}

/** @returns the center itself if there is none */
function farthestCrossing(
  [longitude, latitude]: Position,
  ring: readonly Position[],
  bearing: number,
): Position {
  const stretch = longitudeStretch(latitude);
  const north = Math.cos(bearing);
  const east = Math.sin(bearing);
  let farthest = 0;
  // Coordinates as seen from the center, facing the direction. Starting at the center itself adds no crossing.
  let aheadBefore = 0;
  let asideBefore = 0;
  for (const [pointLongitude, pointLatitude] of ring) {
    const up = pointLatitude - latitude;
    const right = (pointLongitude - longitude) / stretch;
    const ahead = up * north + right * east;
    const aside = right * north - up * east;
    if (asideBefore > 0 !== aside > 0) {
      const share = asideBefore / (asideBefore - aside);
      farthest = Math.max(farthest, aheadBefore + share * (ahead - aheadBefore));
    }
    aheadBefore = ahead;
    asideBefore = aside;
  }
  return [longitude + farthest * east * stretch, latitude + farthest * north];
}
