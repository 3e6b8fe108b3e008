import type { TileSource } from '#components/service-area/street-tiles.tsx';
import { services } from '#src/api/services.ts';
import type { City } from '#src/cities/city.ts';
import { type BackgroundMapFile, backgroundMapAround } from '#src/geo/background-map.ts';
import { type ServiceArea, serviceAreaOf } from '#src/geo/service-area.ts';

export type CityMap = {
  area: ServiceArea;
  background: BackgroundMapFile;
  /** Street tiles, if the operator has configured a source. */
  tiles: TileSource | undefined;
};

/** Everything that a page needs to show the map of a city. */
export async function cityMapOf(city: City): Promise<CityMap> {
  const area = serviceAreaOf(city);
  const { MAP_TILE_URL: url, MAP_TILE_ATTRIBUTION: attribution } = services().settings;
  const tiles = url ? { url, attribution } : undefined;
  return { area, background: await backgroundMapAround(area.outlineBox), tiles };
}
