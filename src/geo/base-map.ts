import type { Position } from 'geojson';
import { merge, mesh } from 'topojson-client';
import { filter, filterAttachedWeight, simplify } from 'topojson-simplify';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { type Atlas, atlas, type Counties, type CountyGeometry, isCounty, latLngs } from './atlas.ts';
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

/** Enough for a map more than three times as wide as tall, with a tall service area beside its buttons. */
const surroundings = 4.2;
const smallestDetailPx = 2;
const smallestIslandPx = 4;
/** Around an area as large as a state, the lines of every county would be a net over the map. */
const mostCounties = 120;
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
  const pixelDegrees = (box.north - box.south) / surroundings / drawnSizePx;
  const { topology, counties } = drawnFor(await atlas(), box, pixelDegrees);
  const rounded = roundedTo(pixelDegrees);
  const land = merge(topology, counties)
    .coordinates.map((polygon) => polygon.map((ring) => rounded(clippedRing(latLngs(ring), box))))
    .filter(([outer]) => outer !== undefined && isArea(outer))
    // A lake beyond the box is clipped to nothing.
    .map(([outer = [], ...holes]) => [outer, ...holes.filter(isArea)]);
  return {
    bounds: box,
    land,
    ...linesBetween(topology, counties, (line) => clippedLine(latLngs(line), box).map(rounded)),
    counties: countyNames(topology, counties, squareAround(area, 1.6)),
    isAllLand: areaOf(land.map(([outer]) => outer ?? [])) > 0.995 * areaOf([cornersOf(box)]),
  };
}

const isArea = (ring: LatLng[]) => ring.length > 2;

/** The counties that reach into the box, without what is too small to be seen: bends, and islands that stand alone. */
function drawnFor({ topology, counties }: Atlas, box: Bounds, pixelDegrees: number) {
  const geometries = counties.filter(({ bounds }) => overlaps(bounds, box)).map(({ geometry }) => geometry);
  const nearby: Topology<Counties> = {
    ...topology,
    objects: { counties: { type: 'GeometryCollection', geometries } },
  };
  const simple = simplify(nearby, (pixelDegrees * smallestDetailPx) ** 2);
  const isSeen = filterAttachedWeight(simple, (pixelDegrees * smallestIslandPx) ** 2);
  const { arcs, objects } = filter(simple, isSeen);
  const seen = objects.counties.type === null ? [] : objects.counties.geometries.filter(isCounty);
  const drawn: Topology = { type: 'Topology', arcs, objects: {} };
  return { topology: drawn, counties: seen };
}

function linesBetween(
  topology: Topology,
  counties: CountyGeometry[],
  drawn: (line: Position[]) => LatLng[][],
): Pick<BaseMap, 'countyLines' | 'stateLines' | 'coastLines'> {
  const all: GeometryCollection = { type: 'GeometryCollection', geometries: counties };
  const stateOf = (county: { id?: string | number | undefined }) => String(county.id).slice(0, 2);
  const lines = (wanted: Parameters<typeof mesh>[2]) =>
    mesh(topology, all, wanted).coordinates.flatMap((line) => drawn(line));
  return {
    countyLines: counties.length > mostCounties ? [] : lines((a, b) => a !== b && stateOf(a) === stateOf(b)),
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
    return [{ name: geometry.properties?.name ?? '', at: middleOf(largest) }];
  });
}

/** Half a pixel is less than anyone sees, and so many decimals fewer to send. */
function roundedTo(pixelDegrees: number): (points: readonly LatLng[]) => LatLng[] {
  const steps = 10 ** Math.min(4, Math.ceil(-Math.log10(pixelDegrees / 2)));
  return (points) =>
    points.map(([lat, lng]) => [Math.round(lat * steps) / steps, Math.round(lng * steps) / steps]);
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
