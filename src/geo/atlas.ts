import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { presimplify } from 'topojson-simplify';
import type {
  Arc,
  GeometryCollection,
  GeometryObject,
  MultiPolygon,
  Polygon,
  Topology,
} from 'topojson-specification';
import { type Bounds, boundsOf, type LatLng } from './geometry.ts';

type Named = { name: string };
export type CountyGeometry = Polygon<Named> | MultiPolygon<Named>;
export type Counties = { counties: GeometryCollection<Named> };

export type Atlas = {
  /** Every point is weighted by how much it adds to the shape, ready to be simplified. */
  topology: Topology<Counties>;
  counties: { geometry: CountyGeometry; bounds: Bounds }[];
};

let loading: Promise<Atlas> | undefined;

/** The counties of the United States, by the Census Bureau, as the npm package us-atlas ships them; read once. */
export function atlas(): Promise<Atlas> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Atlas> {
  // Read at run time: as an import, 800 KB of JSON would go through the bundler and the type checker each time.
  const file = join(process.cwd(), 'node_modules', 'us-atlas', 'counties-10m.json');
  const shipped: Topology<Counties> = JSON.parse(await readFile(file, 'utf8'));
  const topology = presimplify(shipped);
  const counties = topology.objects.counties.geometries
    .filter(isCounty)
    .map((geometry) => ({ geometry, bounds: countyBounds(geometry, topology.arcs) }));
  return { topology, counties };
}

export function isCounty(geometry: GeometryObject<Named>): geometry is CountyGeometry {
  return geometry.type === 'Polygon' || geometry.type === 'MultiPolygon';
}

function countyBounds(geometry: CountyGeometry, arcs: readonly Arc[]): Bounds {
  // A negative index means the arc is run through backwards.
  const indexes = geometry.arcs.flat(2).map((index) => (index < 0 ? ~index : index));
  return boundsOf(indexes.flatMap((index) => latLngs(arcs[index] ?? [])));
}

/** From GeoJSON's order, longitude first, to ours. */
export function latLngs(positions: readonly (readonly number[])[]): LatLng[] {
  return positions.map(([lng = 0, lat = 0]) => [lat, lng]);
}
