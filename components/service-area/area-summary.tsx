import type { CityWithoutOutline } from '#src/cities/city.ts';
import type { Extent, ServiceArea } from '#src/geo/service-area.ts';
import { Badge } from '../ui/notice.tsx';
import { formatMeasuredMiles, formatSetMiles, formatSquareMiles } from './format.ts';

export function areaSentence(city: CityWithoutOutline, { squareMiles }: ServiceArea): string {
  const extent = `about ${formatSquareMiles(squareMiles)} around ${city.name} (${city.countyName})`;
  return city.isActive ? `We deliver across ${extent}.` : `The service area is ${extent}.`;
}

export function AreaExtent({ extents }: { extents: Extent[] }) {
  return (
    <dl className="grid gap-x-6 *:border-line *:not-last:border-b sm:max-desk:grid-cols-2">
      {extents.map(({ direction, miles }) => (
        <div key={direction} className="flex flex-wrap justify-between gap-x-4 py-2.5">
          <dt className="text-muted">{direction}</dt>
          <dd className="tabular-nums">{miles > 0 ? formatMeasuredMiles(miles) : 'Not covered'}</dd>
        </div>
      ))}
    </dl>
  );
}

export function CityServices({ city }: { city: CityWithoutOutline }) {
  const status = (isActive: boolean) =>
    isActive && city.isActive ? <Badge tone="good">Active</Badge> : <Badge tone="neutral">Not active</Badge>;
  const services = [
    { name: 'Delivery app', value: status(city.isDeliveryAppActive) },
    { name: 'Places app', value: status(city.isPlacesAppActive) },
    { name: 'Flat app', value: status(city.isFlatAppActive) },
    { name: 'Discharge single rides', value: status(city.isDischargeSingleRideActive) },
    { name: 'Return rides', value: `Up to ${formatSetMiles(city.returnRideLimitOnMile)}` },
  ];
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3 desk:grid-cols-5">
      {services.map(({ name, value }) => (
        <div key={name}>
          <dt className="mb-1 text-small text-muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
