import type { City } from '#src/cities/city.ts';
import type { BackgroundMap } from '#src/geo/background-map.ts';
import type { ServiceArea } from '#src/geo/service-area.ts';
import { AreaMap } from '../service-area/area-map.tsx';
import { areaSentence } from '../service-area/area-summary.tsx';
import { StaticMap } from '../service-area/static-map.tsx';
import type { TileSource } from '../service-area/street-tiles.tsx';
import { formatCents } from '../ui/money.ts';

type ServiceAreaPanelProps = {
  city: City;
  area: ServiceArea;
  backgroundMap: BackgroundMap;
  backgroundMapUrl: string;
  tiles: TileSource | undefined;
};

export function ServiceAreaPanel({ city, area, backgroundMap, ...rest }: ServiceAreaPanelProps) {
  const label = `Map of the service area around ${city.name}`;
  return (
    <>
      <div className="relative isolate h-64 overflow-hidden rounded-control border border-line sm:h-80">
        <AreaMap
          {...rest}
          simplifiedRing={area.simplified}
          center={area.center}
          cityName={city.name}
          label={label}
        >
          <StaticMap area={area} backgroundMap={backgroundMap} label={label} />
        </AreaMap>
      </div>
      <p className="mt-3 text-muted">
        {areaSentence(city, area)}
        {city.isActive && ` Deliveries start at ${formatCents(city.basePriceCents)}.`}
      </p>
    </>
  );
}
