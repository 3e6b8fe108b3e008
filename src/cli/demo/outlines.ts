import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Feature, MultiPolygon, Polygon } from 'geojson';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

type Counties = Topology<{ counties: GeometryCollection<{ name: string }> }>;

/**
 * The outlines of counties from the shipped atlas, which has them simplified.
 * @param ids five-digit county codes (FIPS), each of which must be in the atlas
 */
export function countyOutlines(ids: string[]): Map<string, Feature<Polygon | MultiPolygon>> {
  const file = createRequire(import.meta.url).resolve('us-atlas/counties-10m.json');
  const atlas = JSON.parse(readFileSync(file, 'utf8')) as Counties;
  const wanted = atlas.objects.counties.geometries.filter(({ id }) => ids.includes(String(id)));
  const outlines = wanted.map(({ id, ...geometry }) => {
    const found = feature(atlas, { ...geometry, id });
    return [String(id), found as Feature<Polygon | MultiPolygon>] as const;
  });
  return new Map(outlines);
}
