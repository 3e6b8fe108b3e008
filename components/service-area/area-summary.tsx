import type { City } from '#src/cities/city.ts';
import type { CityArea } from '#src/geo/city-area.ts';
import type { LatLng } from '#src/geo/geometry.ts';
import { reachOf } from './extent.ts';
import { measuredMiles } from './miles.ts';
import { pointText } from './typed-point.ts';

/** The map in a sentence. */
export function areaSentence(
  city: Pick<City, 'name' | 'countyName' | 'isActive'>,
  { centre, squareMiles }: Pick<CityArea, 'centre' | 'squareMiles'>,
): string {
  const size = Math.round(squareMiles).toLocaleString('en-US');
  const reach = `about ${size} square miles around ${pointText(centre)}.`;
  if (!city.isActive) return `The service area of ${city.name}, ${city.countyName}: ${reach}`;
  return `Deliveries in ${city.name}, ${city.countyName}, reach ${reach}`;
}

type AreaReachProps = {
  centre: LatLng;
  points: readonly LatLng[];
  distanceMiles: (a: LatLng, b: LatLng) => number;
};

/** The map in eight figures. */
export function AreaReach({ centre, points, distanceMiles }: AreaReachProps) {
  return (
    <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4 xl:grid-cols-8">
      {reachOf(centre, points, distanceMiles).map(({ direction, miles }) => (
        <div key={direction}>
          <dt className="text-small text-muted">{direction}</dt>
          <dd className="tabular-nums">{miles > 0 ? measuredMiles(miles) : 'Not this way'}</dd>
        </div>
      ))}
    </dl>
  );
}
