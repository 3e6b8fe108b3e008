import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bbox } from '@turf/bbox';
import type { BBox } from 'geojson';
import { presimplify } from 'topojson-simplify';
import type {
  Arc,
  GeometryCollection,
  GeometryObject,
  MultiPolygon,
  Polygon,
  Topology,
} from 'topojson-specification';

type Named = { name: string };
export type CountyGeometry = Polygon<Named> | MultiPolygon<Named>;
export type Counties = { counties: GeometryCollection<Named> };

export type Atlas = {
  /** Each point carries the weight by which topojson-simplify removes it. */
  topology: Topology<Counties>;
  counties: { geometry: CountyGeometry; box: BBox }[];
};

let loading: Promise<Atlas> | undefined;

/** The counties of the United States, by the Census Bureau, from the npm package us-atlas; read once. */
export function atlas(): Promise<Atlas> {
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

export function isCounty(geometry: GeometryObject<Named>): geometry is CountyGeometry {
  return geometry.type === 'Polygon' || geometry.type === 'MultiPolygon';
}

function countyBox(geometry: CountyGeometry, arcs: readonly Arc[]): BBox {
  // A negative index is the complement of an arc that is used backwards.
  const indexes = geometry.arcs.flat(2).map((index) => (index < 0 ? ~index : index));
  return bbox({ type: 'MultiLineString', coordinates: indexes.map((index) => arcs[index] ?? []) });
}
