import type { City } from '#src/cities/city.ts';
import type { Extent } from '#src/geo/extent.ts';
import type { ServiceArea } from '#src/geo/service-area.ts';
import { Badge } from '../ui/notice.tsx';
import { formatMeasuredMiles, formatSetMiles } from './format.ts';

export function areaSentence(
  city: Pick<City, 'name' | 'countyName' | 'isActive'>,
  { squareMiles }: Pick<ServiceArea, 'squareMiles'>,
): string {
  const extent = `about ${Math.round(squareMiles).toLocaleString('en-US')} square miles around ${city.name} (${city.countyName})`;
  return city.isActive ? `We deliver across ${extent}.` : `The service area is ${extent}.`;
}

export function AreaExtent({ extents }: { extents: Extent[] }) {
  return (
    <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4 xl:grid-cols-8">
      {extents.map(({ direction, miles }) => (
        <div key={direction}>
          <dt className="text-small text-muted">{direction}</dt>
          <dd className="tabular-nums">{miles > 0 ? formatMeasuredMiles(miles) : 'Not covered'}</dd>
        </div>
      ))}
    </dl>
  );
}

export function CityServices({ city }: { city: City }) {
  const status = (isActive: boolean) => <Status isActive={isActive && city.isActive} />;
  const services = [
    { name: 'Delivery app', value: status(city.isDeliveryAppActive) },
    { name: 'Places app', value: status(city.isPlacesAppActive) },
    { name: 'Flat app', value: status(city.isFlatAppActive) },
    { name: 'Discharge single rides', value: status(city.isDischargeSingleRideActive) },
    { name: 'Return rides', value: `up to ${formatSetMiles(city.returnRideLimitOnMile)}` },
  ];
  return (
    <dl className="divide-y divide-line">
      {services.map(({ name, value }) => (
        <div
          key={name}
          className="flex flex-wrap items-center justify-between gap-x-4 py-2.5 first:pt-0 last:pb-0"
        >
          <dt className="text-muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Status({ isActive }: { isActive: boolean }) {
  return <Badge tone={isActive ? 'good' : 'neutral'}>{isActive ? 'Active' : 'Not active'}</Badge>;
}
