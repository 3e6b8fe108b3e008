import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { area } from '@turf/area';
import { bbox } from '@turf/bbox';
import { bboxClip } from '@turf/bbox-clip';
import { centerOfMass } from '@turf/center-of-mass';
import type { BBox, Position as GeoJsonPosition, MultiLineString, MultiPolygon } from 'geojson';
import { LRUCache } from 'lru-cache';
import { merge, mesh } from 'topojson-client';
import { filter, filterAttachedWeight, presimplify, simplify } from 'topojson-simplify';
import type {
  Arc,
  MultiPolygon as CountyMultiPolygon,
  Polygon as CountyPolygon,
  GeometryCollection,
  GeometryObject,
  Topology,
} from 'topojson-specification';
import { overlaps, type Position, squareAround } from './position.ts';

/** The surroundings of a service area, in a few kilobytes. */
export type BackgroundMap = {
  box: BBox;
  /** Polygons, each an outer ring and its holes; the rings are not closed, because drawing closes them. */
  land: Position[][][];
  countyLines: Position[][];
  stateLines: Position[][];
  coastLines: Position[][];
  counties: { name: string; center: Position }[];
};

/** A background map as the browser caches it: a URL per content. */
export type BackgroundMapFile = { map: BackgroundMap; json: string; version: string };

export const backgroundMapUrl = ({ version }: BackgroundMapFile) => `/service-area/background-map/${version}`;

/** Covers a map element more than three times as wide as tall with a tall service area beside its controls. */
const boxFactor = 4.2;
const detailPxMin = 2;
const islandPxMin = 4;
/** Around an area as large as a state, county lines would cover the map. */
const countiesMax = 120;
const areaSizePx = 400;

const files = new LRUCache<string, BackgroundMapFile, { areaBox: BBox }>({
  max: 200,
  fetchMethod: (_key, _stale, { context: { areaBox } }) => createFile(areaBox),
});

/**
 * @param areaBox the bounding box of a service area
 * @returns its surroundings, clipped and simplified
 * @throws when the atlas cannot be read
 */
export function backgroundMapAround(areaBox: BBox): Promise<BackgroundMapFile> {
  const key = areaBox.map((degrees) => degrees.toFixed(4)).join(' ');
  return files.forceFetch(key, { context: { areaBox } });
}

async function createFile(areaBox: BBox): Promise<BackgroundMapFile> {
  const map = await createMap(areaBox);
  const json = JSON.stringify(map);
  return { map, json, version: hash('sha256', json, 'base64url').slice(0, 16) };
}

async function createMap(areaBox: BBox): Promise<BackgroundMap> {
  const box = squareAround(areaBox, boxFactor);
  const pixelDegrees = (box[3] - box[1]) / boxFactor / areaSizePx;
  const { topology, counties } = visibleCounties(await atlas(), box, pixelDegrees);
  const round = roundTo(pixelDegrees);
  return {
    box,
    land: clipPolygons(merge(topology, counties), box).map((polygon) =>
      polygon.map((ring) => ring.slice(0, -1).map(round)),
    ),
    ...borderLines(topology, counties, (lines) => clipLines(lines, box).map((line) => line.map(round))),
    counties: countyLabels(topology, counties, squareAround(areaBox, 1.6), round),
  };
}

/** The counties that reach into the box, without bends and islands that are too small to see. */
function visibleCounties({ topology, counties }: Atlas, box: BBox, pixelDegrees: number) {
  const geometries = counties.filter((county) => overlaps(county.box, box)).map(({ geometry }) => geometry);
  const nearby: Topology<Counties> = {
    ...topology,
    objects: { counties: { type: 'GeometryCollection', geometries } },
  };
  const simplified = simplify(nearby, (pixelDegrees * detailPxMin) ** 2);
  const isVisible = filterAttachedWeight(simplified, (pixelDegrees * islandPxMin) ** 2);
  const { arcs, objects } = filter(simplified, isVisible);
  const visible = objects.counties.type === null ? [] : objects.counties.geometries.filter(isCounty);
  const visibleTopology: Topology = { type: 'Topology', arcs, objects: {} };
  return { topology: visibleTopology, counties: visible };
}

function borderLines(
  topology: Topology,
  counties: CountyGeometry[],
  clip: (lines: MultiLineString) => Position[][],
): Pick<BackgroundMap, 'countyLines' | 'stateLines' | 'coastLines'> {
  const all: GeometryCollection = { type: 'GeometryCollection', geometries: counties };
  // The first two digits of a county's FIPS code are its state's.
  const stateOf = (county: { id?: string | number | undefined }) => String(county.id).slice(0, 2);
  const lines = (isIncluded: Parameters<typeof mesh>[2]) => clip(mesh(topology, all, isIncluded));
  return {
    // Right after the land, whose edges they repeat: within the window of gzip, that saves a quarter of the file.
    coastLines: lines((a, b) => a === b),
    countyLines: counties.length > countiesMax ? [] : lines((a, b) => a !== b && stateOf(a) === stateOf(b)),
    stateLines: lines((a, b) => a !== b && stateOf(a) !== stateOf(b)),
  };
}

/** A county's name at the middle of its largest part in the view; parts too small for a name have none. */
function countyLabels(
  topology: Topology,
  nearby: CountyGeometry[],
  view: BBox,
  round: (position: GeoJsonPosition) => Position,
): BackgroundMap['counties'] {
  const [west, south, east, north] = view;
  const viewRing = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const areaMin = area({ type: 'Polygon', coordinates: [viewRing] }) * 0.05;
  return nearby.flatMap((county) => {
    const parts = clipPolygons(merge(topology, [county]), view).map(([outer = []]) => {
      const part = { type: 'Polygon' as const, coordinates: [outer] };
      return { part, squareMeters: area(part) };
    });
    const [largest] = parts.toSorted((a, b) => b.squareMeters - a.squareMeters);
    if (!largest || largest.squareMeters < areaMin) return [];
    const center = round(centerOfMass(largest.part).geometry.coordinates);
    return [{ name: county.properties?.name ?? '', center }];
  });
}

function clipPolygons(polygons: MultiPolygon, box: BBox): GeoJsonPosition[][][] {
  const { geometry } = bboxClip(polygons, box);
  // A polygon outside the box is left without rings.
  return geometry.type === 'MultiPolygon' ? geometry.coordinates.filter(({ length }) => length > 0) : [];
}

function clipLines(lines: MultiLineString, box: BBox): GeoJsonPosition[][] {
  const { geometry } = bboxClip(lines, box);
  if (geometry.type === 'LineString') return [geometry.coordinates];
  return geometry.type === 'MultiLineString' ? geometry.coordinates : [];
}

/** Half a pixel is invisible, and fewer decimals make a smaller file. */
function roundTo(pixelDegrees: number): (position: GeoJsonPosition) => Position {
  const steps = 10 ** Math.min(4, Math.ceil(-Math.log10(pixelDegrees / 2)));
  const round = (degrees: number) => Math.round(degrees * steps) / steps;
  return ([longitude = 0, latitude = 0]) => [round(longitude), round(latitude)];
}

type Named = { name: string };
type CountyGeometry = CountyPolygon<Named> | CountyMultiPolygon<Named>;
type Counties = { counties: GeometryCollection<Named> };

type Atlas = {
  /** Each point carries the weight by which topojson-simplify removes it. */
  topology: Topology<Counties>;
  counties: { geometry: CountyGeometry; box: BBox }[];
};

let loading: Promise<Atlas> | undefined;

/** The counties of the United States, by the Census Bureau, from the npm package us-atlas; read once. */
function atlas(): Promise<Atlas> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Atlas> {
  // Read at run time: an import would send 800 KB of JSON through the bundler and the type checker.
  const file = join(process.cwd(), 'node_modules', 'us-atlas', 'counties-10m.json');
  const shipped: Topology<Counties> = JSON.parse(await readFile(file, 'utf8'));
  const topology = presimplify(shipped);
  const counties = topology.objects.counties.geometries
    .filter(isCounty)
    .map((geometry) => ({ geometry, box: countyBox(geometry, topology.arcs) }));
  return { topology, counties };
}

function isCounty(geometry: GeometryObject<Named>): geometry is CountyGeometry {
  return geometry.type === 'Polygon' || geometry.type === 'MultiPolygon';
}

function countyBox(geometry: CountyGeometry, arcs: readonly Arc[]): BBox {
  // A negative index is the complement of an arc that is used backwards.
  const indexes = geometry.arcs.flat(2).map((index) => (index < 0 ? ~index : index));
  return bbox({ type: 'MultiLineString', coordinates: indexes.map((index) => arcs[index] ?? []) });
}
