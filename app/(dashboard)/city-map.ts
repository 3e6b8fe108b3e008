import type { TileSource } from '#components/service-area/street-tiles.tsx';
import { services } from '#src/api/services.ts';
import type { Session } from '#src/api/session.ts';
import { findServiceArea } from '#src/cities/find-service-area.ts';
import { type BackgroundMap, backgroundMapAround, backgroundMapUrl } from '#src/geo/background-map.ts';
import type { ServiceArea } from '#src/geo/service-area.ts';

export type CityMap = {
  area: ServiceArea;
  backgroundMap: BackgroundMap;
  backgroundMapUrl: string;
  /** Street tiles, if the operator has configured a source. */
  tiles: TileSource | undefined;
};

/** Everything that a page needs to show the map of a city. */
export async function cityMapOf(city: Session['city']): Promise<CityMap> {
  const area = await findServiceArea(services().db, city);
  const { MAP_TILE_URL: url, MAP_TILE_ATTRIBUTION: attribution } = services().settings;
  const background = await backgroundMapAround(area.outlineBox);
  return {
    area,
    backgroundMap: background.map,
    backgroundMapUrl: backgroundMapUrl(background),
    tiles: url ? { url, attribution } : undefined,
  };
}
