import { z } from 'zod';
import type { CityObject } from '#contract/customer.ts';
import type { DrawnArea } from './drawn-area.ts';
import { boundsOf, type LatLng, squareAround, stretchAt } from './geometry.ts';
import { drawnOutline } from './outline.ts';

export type CityArea = {
  /** Every point of the polygon, the last repeating the first. */
  points: LatLng[];
  /** The points that a drawing needs. */
  outline: LatLng[];
  /** What the interactive map opens with. */
  drawn: DrawnArea;
  centre: LatLng;
};

/** Larger than the area is on these pages before one zooms in, in device pixels. */
const drawnSizePx = 1400;
/** So many are sent without asking whether one sees them all. */
const fewPoints = 1000;

const outlines = new Map<string, LatLng[]>();
const outlinesLimit = 100;

/** A city's service area out of the texts of its record. @throws when a text is not what the contract promises */
export function cityArea(city: Pick<CityObject, 'polygon_points' | 'latitude' | 'longitude'>): CityArea {
  const points = polygonPoints(city.polygon_points);
  const outline = outlineOf(city.polygon_points, points);
  return {
    points,
    outline,
    drawn:
      points.length > fewPoints
        ? { ring: outlineText(outline), sharpUpToPx: drawnSizePx }
        : { ring: city.polygon_points, sharpUpToPx: Number.POSITIVE_INFINITY },
    centre: [Number(city.latitude), Number(city.longitude)],
  };
}

const pointsSchema = z.array(z.tuple([z.number(), z.number()]));

/** @param text `[[latitude,longitude],…]` */
export function polygonPoints(text: string): LatLng[] {
  return pointsSchema.parse(JSON.parse(text));
}

function outlineOf(text: string, points: LatLng[]): LatLng[] {
  const known = outlines.get(text);
  if (known) return known;
  if (outlines.size >= outlinesLimit) outlines.clear();
  const outline = drawnOutline(points, drawnSizePx);
  outlines.set(text, outline);
  return outline;
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
