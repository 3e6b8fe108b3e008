import type { CityObject } from '#src/api/schemas/customer.ts';
import { Badge } from '../ui/notice.tsx';
import { agreedMiles } from './miles.ts';

/** Which apps and rides are on in the city, in words. */
export function CityApps({ city }: { city: CityObject }) {
  const services = [
    { name: 'Delivery app', isActive: city.is_delivery_app_active },
    { name: 'Places app', isActive: city.is_places_app_active },
    { name: 'Flat app', isActive: city.is_flat_app_active },
    { name: 'Discharge single rides', isActive: city.is_discharge_single_ride_active },
  ];
  const facts = [
    ...services.map(({ name, isActive }) => ({
      name,
      value: <State isActive={isActive && city.is_active} />,
    })),
    { name: 'Return rides', value: `up to ${agreedMiles(city.return_ride_limit_on_mile)}` },
  ];
  return (
    <dl className="divide-y divide-line">
      {facts.map(({ name, value }) => (
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

function State({ isActive }: { isActive: boolean }) {
  return <Badge tone={isActive ? 'good' : 'neutral'}>{isActive ? 'Active' : 'Not active'}</Badge>;
}
