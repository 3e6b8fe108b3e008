import { z } from 'zod';
import type { CityObject } from '#contract/customer.ts';
import { boundsOf, type LatLng, stretchAt } from './geometry.ts';
import { drawnOutline } from './outline.ts';

export type CityArea = {
  /** Every point of the polygon, the last repeating the first. */
  points: LatLng[];
  /** The points that a drawing needs. */
  outline: LatLng[];
  centre: LatLng;
};

/** Larger than any picture of the area on these pages, in device pixels. */
const drawnSizePx = 1200;

const outlines = new Map<string, LatLng[]>();
const outlinesLimit = 100;

/** A city's service area out of the texts of its record. @throws when a text is not what the contract promises */
export function cityArea(city: Pick<CityObject, 'polygon_points' | 'latitude' | 'longitude'>): CityArea {
  const points = polygonPoints(city.polygon_points);
  return {
    points,
    outline: outlineOf(city.polygon_points, points),
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
