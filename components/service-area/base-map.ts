import { merge, mesh } from 'topojson-client';
import { simplify } from 'topojson-simplify';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { atlas, type CountyGeometry, latLngs } from './atlas.ts';
import { clippedLine, clippedRing } from './clip.ts';
import { type Bounds, boundsOf, type LatLng, overlaps, squareAround, stretchAt } from './geometry.ts';

/** What lies around a city, for a quiet background: a few kilobytes, every place as `[latitude, longitude]`. */
export type BaseMap = {
  bounds: Bounds;
  /** Polygons, each an outer ring and its holes. */
  land: LatLng[][][];
  countyLines: LatLng[][];
  stateLines: LatLng[][];
  coastLines: LatLng[][];
  counties: { name: string; at: LatLng }[];
  /** False where water, or land outside the United States, is in the picture. */
  isAllLand: boolean;
};

/** Enough for a map three times as wide as tall, fitted to a service area that is tall. */
const surroundings = 4;
const smallestDetailPx = 1.5;
const drawnSizePx = 400;

const known = new Map<string, Promise<BaseMap>>();
const knownLimit = 200;

/**
 * @param polygon the service area
 * @returns its surroundings, clipped and simplified once per place and then kept
 * @throws when the atlas cannot be read, or the polygon has no point
 */
export function baseMapAround(polygon: readonly LatLng[]): Promise<BaseMap> {
  const area = boundsOf(polygon);
  const key = Object.values(area)
    .map((degrees) => degrees.toFixed(4))
    .join(' ');
  const ready = known.get(key);
  if (ready) return ready;
  if (known.size >= knownLimit) known.clear();
  const made = makeBaseMap(area);
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

async function makeBaseMap(area: Bounds): Promise<BaseMap> {
  const box = squareAround(area, surroundings);
  const { topology, counties } = await atlas();
  const nearby = counties.filter((county) => overlaps(county.bounds, box)).map((county) => county.geometry);
  const pixel = (box.north - box.south) / surroundings / drawnSizePx;
  const drawn = simplify(topology, (pixel * smallestDetailPx) ** 2);
  const land = merge(drawn, nearby)
    .coordinates.map((polygon) => polygon.map((ring) => rounded(clippedRing(latLngs(ring), box))))
    .filter(([outer]) => outer !== undefined && outer.length > 2);
  return {
    bounds: box,
    land,
    ...linesBetween(drawn, nearby, box),
    counties: countyNames(drawn, nearby, squareAround(area, 1.6)),
    isAllLand: areaOf(land.map(([outer]) => outer ?? [])) > 0.995 * areaOf([cornersOf(box)]),
  };
}

function linesBetween(topology: Topology, nearby: CountyGeometry[], box: Bounds) {
  const all: GeometryCollection<{ name: string }> = { type: 'GeometryCollection', geometries: nearby };
  const stateOf = (county: { id?: string | number | undefined }) => String(county.id).slice(0, 2);
  const lines = (wanted: Parameters<typeof mesh>[2]) =>
    mesh(topology, all, wanted)
      .coordinates.flatMap((line) => clippedLine(latLngs(line), box))
      .map(rounded);
  return {
    countyLines: lines((a, b) => a !== b && stateOf(a) === stateOf(b)),
    stateLines: lines((a, b) => a !== b && stateOf(a) !== stateOf(b)),
    coastLines: lines((a, b) => a === b),
  };
}

/** A name where its county's part of the picture has its middle; parts too small for one have none. */
function countyNames(topology: Topology, nearby: CountyGeometry[], view: Bounds): BaseMap['counties'] {
  const smallest = areaOf([cornersOf(view)]) * 0.05;
  return nearby.flatMap((geometry) => {
    const polygons = merge(topology, [geometry]).coordinates;
    const parts = polygons.map(([outer]) => clippedRing(latLngs(outer ?? []), view));
    const largest = parts.reduce<LatLng[]>((a, b) => (areaOf([a]) >= areaOf([b]) ? a : b), []);
    if (areaOf([largest]) < smallest) return [];
    return rounded([middleOf(largest)]).map((at) => ({ name: geometry.properties?.name ?? '', at }));
  });
}

/** Ten metres are less than anyone sees here. */
function rounded(points: readonly LatLng[]): LatLng[] {
  return points.map(([lat, lng]) => [Math.round(lat * 1e4) / 1e4, Math.round(lng * 1e4) / 1e4]);
}

function cornersOf({ south, west, north, east }: Bounds): LatLng[] {
  return [
    [south, west],
    [south, east],
    [north, east],
    [north, west],
  ];
}

/** In square degrees of latitude. */
function areaOf(rings: readonly (readonly LatLng[])[]): number {
  return rings.reduce((sum, ring) => {
    const stretch = stretchAt(ring[0]?.[0] ?? 0);
    return sum + Math.abs(crossProducts(ring).reduce((total, { cross }) => total + cross, 0)) / 2 / stretch;
  }, 0);
}

function middleOf(ring: readonly LatLng[]): LatLng {
  const products = crossProducts(ring);
  const total = products.reduce((sum, { cross }) => sum + cross, 0) * 3;
  return [
    products.reduce((sum, { a, b, cross }) => sum + (a[0] + b[0]) * cross, 0) / total,
    products.reduce((sum, { a, b, cross }) => sum + (a[1] + b[1]) * cross, 0) / total,
  ];
}

function crossProducts(ring: readonly LatLng[]): { a: LatLng; b: LatLng; cross: number }[] {
  return ring.map((a, index) => {
    const b = ring[(index + 1) % ring.length] ?? a;
    return { a, b, cross: a[1] * b[0] - b[1] * a[0] };
  });
}
