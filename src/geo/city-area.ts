import { z } from 'zod';
import type { DrawnArea } from '#components/service-area/service-area-ring.ts';
import type { City } from '#src/cities/city.ts';
import { boundsOf, type LatLng, squareAround, stretchAt } from './geometry.ts';
import { drawnOutline } from './outline.ts';

export type CityArea = {
  /** Every point of the polygon, the last repeating the first. */
  points: LatLng[];
  /** The points that a drawing needs. */
  outline: LatLng[];
  /** What the interactive map opens with. */
  drawn: DrawnArea;
  squareMiles: number;
  centre: LatLng;
};

/** As large as most areas are on these pages before one zooms in; one that is shown wider asks for its rest at once. */
const drawnSizePx = 720;
/** So many are sent without asking whether one sees them all. */
const fewPoints = 1000;

type Shape = Omit<CityArea, 'centre'>;
const shapes = new Map<string, Shape>();
let pointsKept = 0;
/** Some tens of megabytes. */
const mostPointsKept = 500_000;

/**
 * A city's service area out of the texts of its record: cities are few and seldom change, so it is kept.
 * @throws when a text is not what the contract promises
 */
export function cityArea(city: Pick<City, 'polygonPoints' | 'latitude' | 'longitude'>): CityArea {
  const text = city.polygonPoints;
  const shape = shapes.get(text) ?? shapeOf(text);
  if (!shapes.has(text)) keep(text, shape);
  return { ...shape, centre: [Number(city.latitude), Number(city.longitude)] };
}

function keep(text: string, shape: Shape): void {
  if (pointsKept >= mostPointsKept) {
    shapes.clear();
    pointsKept = 0;
  }
  shapes.set(text, shape);
  pointsKept += shape.points.length;
}

function shapeOf(text: string): Shape {
  const points = polygonPoints(text);
  const outline = drawnOutline(points, drawnSizePx);
  const drawn =
    points.length > fewPoints
      ? { ring: outlineText(outline), sharpUpToPx: drawnSizePx }
      : { ring: text, sharpUpToPx: Number.POSITIVE_INFINITY };
  return { points, outline, drawn, squareMiles: areaSquareMiles(points) };
}

const pointsSchema = z.array(z.tuple([z.number(), z.number()]));

/** @param text `[[latitude,longitude],…]` */
export function polygonPoints(text: string): LatLng[] {
  return pointsSchema.parse(JSON.parse(text));
}

/** With no more decimals than one sees. */
function outlineText(outline: LatLng[]): string {
  const { south, north } = squareAround(boundsOf(outline), 1);
  const decimals = Math.max(0, Math.ceil(-Math.log10((north - south) / drawnSizePx / 4)));
  const rounded = (degrees: number) => Number(degrees.toFixed(decimals));
  return JSON.stringify(outline.map(([lat, lng]) => [rounded(lat), rounded(lng)]));
}

/** @returns the size of a ring's inside in square miles, for a ring of a city's size */
export function areaSquareMiles(ring: readonly LatLng[]): number {
  const { south, north } = boundsOf(ring);
  const milesPerDegree = 69.093;
  let doubled = 0;
  let previous = ring.at(-1);
  for (const point of ring) {
    if (previous) doubled += previous[1] * point[0] - point[1] * previous[0];
    previous = point;
  }
  return (Math.abs(doubled) / 2 / stretchAt((south + north) / 2)) * milesPerDegree ** 2;
}
