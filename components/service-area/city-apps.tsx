import type { City } from '#src/cities/city.ts';
import { Badge } from '../ui/notice.tsx';
import { agreedMiles } from './miles.ts';

/** Which apps and rides are on in the city, in words. */
export function CityApps({ city }: { city: City }) {
  const services = [
    { name: 'Delivery app', isActive: city.isDeliveryAppActive },
    { name: 'Places app', isActive: city.isPlacesAppActive },
    { name: 'Flat app', isActive: city.isFlatAppActive },
    { name: 'Discharge single rides', isActive: city.isDischargeSingleRideActive },
  ];
  const facts = [
    ...services.map(({ name, isActive }) => ({
      name,
      value: <State isActive={isActive && city.isActive} />,
    })),
    { name: 'Return rides', value: `up to ${agreedMiles(city.returnRideLimitOnMile)}` },
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
