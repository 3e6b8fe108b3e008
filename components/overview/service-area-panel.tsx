import type { City } from '#src/cities/city.ts';
import { baseMapAround } from '#src/geo/base-map.ts';
import { baseMapAddress } from '#src/geo/base-map-file.ts';
import { cityArea } from '#src/geo/city-area.ts';
import { AreaMap } from '../service-area/area-map.tsx';
import { AreaPicture } from '../service-area/static-map.tsx';
import type { TileSource } from '../service-area/street-tiles.tsx';
import { formatCents } from '../ui/money.tsx';

export async function ServiceAreaPanel({ city, tiles }: { city: City; tiles: TileSource | undefined }) {
  const { outline, drawn, centre, squareMiles } = cityArea(city);
  const baseMap = await baseMapAround(outline);
  const label = `Map of the service area around ${city.name}`;
  return (
    <>
      <div className="relative isolate h-64 overflow-hidden rounded-control border border-line sm:h-80">
        <AreaMap
          area={drawn}
          centre={centre}
          centreName={city.name}
          baseMapAddress={baseMapAddress(baseMap)}
          label={label}
          tiles={tiles}
        >
          <AreaPicture outline={outline} centre={centre} baseMap={baseMap} label={label} />
        </AreaMap>
      </div>
      <p className="mt-3 text-muted">
        {city.name}, {city.countyName}: about {Math.round(squareMiles).toLocaleString('en-US')} square miles.
        {city.isActive && ` A delivery costs from ${formatCents(city.basePriceCents)}.`}
      </p>
    </>
  );
}
