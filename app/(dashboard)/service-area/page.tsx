import type { Metadata } from 'next';
import { SameAccount } from '#components/layout/app-shell.tsx';
import { AreaExtent, areaSentence, CityServices } from '#components/service-area/area-summary.tsx';
import { noAddresses, parsePosition, positionHelp, searchFailed } from '#components/service-area/format.ts';
import { InactiveCityNotice } from '#components/service-area/inactive-city-notice.tsx';
import { PointCheck } from '#components/service-area/point-check.tsx';
import { PricePlot, priceSentence } from '#components/service-area/price-plot.tsx';
import { StaticMap } from '#components/service-area/static-map.tsx';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { services } from '#src/api/services.ts';
import type { Session } from '#src/api/session.ts';
import { checkPoint, type PriceStep, priceSteps } from '#src/cities/delivery-price.ts';
import { extentsOf } from '#src/geo/service-area.ts';
import { type CityMap, cityMapOf } from '../city-map.ts';
import { requireSession } from '../session.ts';
import { addressesOf } from './addresses.ts';

export const metadata: Metadata = { title: 'Service area' };

export default async function ServiceAreaPage({ searchParams }: PageProps<'/service-area'>) {
  const session = await requireSession();
  const { city } = session;
  const map = await cityMapOf(city);
  const { area } = map;
  const { point } = await searchParams;
  const steps = priceSteps(city);
  return (
    <>
      <SameAccount customerId={session.customerId} />
      <PageHeader title="Service area">{areaSentence(city, area)}</PageHeader>
      {!city.isActive && <InactiveCityNotice cityName={city.name} className="mb-6" />}
      <MapWithPointCheck
        session={session}
        map={map}
        steps={steps}
        pointText={typeof point === 'string' ? point : ''}
      />
      <div className="mt-4 grid gap-4 sm:mt-6 sm:gap-6 desk:grid-cols-12">
        <Panel id="prices" title="Delivery prices" className="desk:col-span-8">
          <p className="mb-5 text-muted tabular-nums">{priceSentence(steps)}</p>
          <PricePlot steps={steps} />
        </Panel>
        <Panel id="reach" title="From the center to the edge" className="desk:col-span-4">
          <AreaExtent extents={extentsOf(area.center, area.ring)} />
        </Panel>
        <Panel id="apps" title={`Services in ${city.name}`} className="desk:col-span-12">
          <CityServices city={city} />
        </Panel>
      </div>
    </>
  );
}

type MapWithPointCheckProps = { session: Session; map: CityMap; steps: PriceStep[]; pointText: string };

/** @param pointText the point in the page's URL, which the form sends without scripts */
async function MapWithPointCheck({ session, map, steps, pointText }: MapWithPointCheckProps) {
  const { city } = session;
  const { area, backgroundMap, ...interactiveMap } = map;
  const { center, ring, simplified } = area;
  const point = parsePosition(pointText);
  const hasSearch = services().settings.GEOCODER_URL !== undefined;
  const isAddress = hasSearch && pointText !== '' && !point;
  const addresses = isAddress ? await addressesOf(pointText, session) : undefined;
  const initialError = () => {
    if (pointText === '' || point) return undefined;
    if (!hasSearch) return positionHelp(false);
    if (!addresses) return searchFailed;
    return addresses.length === 0 ? noAddresses : undefined;
  };
  return (
    <PointCheck
      city={{
        name: city.name,
        isActive: city.isActive,
        center,
        priceSteps: steps,
        basePriceCents: city.basePriceCents,
      }}
      hasSearch={hasSearch}
      simplifiedRing={simplified}
      {...interactiveMap}
      initial={{
        text: pointText,
        result: point && checkPoint(point, { ring, center, priceSteps: steps }),
        addresses,
        error: initialError(),
      }}
    >
      <StaticMap
        area={area}
        backgroundMap={backgroundMap}
        priceSteps={steps}
        label={`Map. ${areaSentence(city, area)}`}
        selectedPoint={point}
      />
    </PointCheck>
  );
}
