import type { Metadata } from 'next';
import { AreaReach, areaSentence } from '#components/service-area/area-summary.tsx';
import { CityApps } from '#components/service-area/city-apps.tsx';
import { stoppedCity } from '#components/service-area/inactive-city.ts';
import { PricePlot, type PriceStep, priceSentence } from '#components/service-area/price-plot.tsx';
import { AreaPicture } from '#components/service-area/static-map.tsx';
import { typedPoint, typedPointError } from '#components/service-area/typed-point.ts';
import { Notice } from '#components/ui/notice.tsx';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { SupportText } from '#components/ui/support-text.tsx';
import type { City } from '#src/cities/city.ts';
import { priceItems } from '#src/cities/delivery-price.ts';
import { baseMapAround } from '#src/geo/base-map.ts';
import { baseMapAddress } from '#src/geo/base-map-file.ts';
import { type CityArea, cityArea } from '#src/geo/city-area.ts';
import { settings } from '#src/settings.ts';
import { requireSession } from '../session.ts';
import { AreaCheck } from './area-check.tsx';
import { answerFor, milesBetween, type PricedCity } from './point-result.ts';

export const metadata: Metadata = { title: 'Service area' };

type ServiceAreaPageProps = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function ServiceAreaPage({ searchParams }: ServiceAreaPageProps) {
  const { city } = await requireSession();
  const area = cityArea(city);
  const asked = (await searchParams).point;
  const steps = priceSteps(city);
  return (
    <>
      <PageHeader title="Service area">{areaSentence(city, area)}</PageHeader>
      {!city.isActive && <Stopped cityName={city.name} />}
      <MapAndQuestion city={city} area={area} asked={typeof asked === 'string' ? asked : ''} />
      <div className="mt-4 grid gap-4 sm:mt-6 sm:gap-6 desk:grid-cols-12">
        <Panel id="prices" title="What a delivery costs" className="desk:col-span-8">
          <p className="mb-5 text-muted tabular-nums">{priceSentence(steps)}</p>
          <PricePlot steps={steps} />
        </Panel>
        <Panel id="apps" title={`What runs in ${city.name}`} className="desk:col-span-4">
          <CityApps city={city} />
        </Panel>
        <Panel id="reach" title="From the center to the edge" className="desk:col-span-12">
          <AreaReach centre={area.centre} points={area.points} distanceMiles={milesBetween} />
        </Panel>
      </div>
    </>
  );
}

function Stopped({ cityName }: { cityName: string }) {
  const { SUPPORT_CONTACT } = settings();
  const { title, advice } = stoppedCity(cityName, SUPPORT_CONTACT);
  return (
    <Notice tone="warn" title={title} className="mb-6">
      <SupportText text={advice} contact={SUPPORT_CONTACT} />
    </Notice>
  );
}

type MapAndQuestionProps = { city: City; area: CityArea; asked: string };

async function MapAndQuestion({ city, area, asked }: MapAndQuestionProps) {
  const { points, outline, drawn, centre } = area;
  const { MAP_TILE_URL, MAP_TILE_ATTRIBUTION } = settings();
  const { name, basePriceCents, deliveryPrices, isActive, latitude, longitude } = city;
  const priced: PricedCity = { basePriceCents, deliveryPrices, isActive, latitude, longitude };
  const baseMap = await baseMapAround(outline);
  const point = typedPoint(asked);
  return (
    <AreaCheck
      cityName={name}
      city={priced}
      area={drawn}
      centre={centre}
      baseMapAddress={baseMapAddress(baseMap)}
      tiles={MAP_TILE_URL ? { url: MAP_TILE_URL, attribution: MAP_TILE_ATTRIBUTION } : undefined}
      lastMile={priceItems(deliveryPrices).at(-1)?.mile ?? 0}
      first={{
        text: asked,
        answer: point && answerFor(point, points, priced),
        error: asked && !point ? typedPointError : undefined,
      }}
    >
      <AreaPicture
        outline={outline}
        centre={centre}
        baseMap={baseMap}
        label={`Map. ${areaSentence(city, area)}`}
        picked={point ?? undefined}
      />
    </AreaCheck>
  );
}

function priceSteps({ basePriceCents, deliveryPrices }: City): PriceStep[] {
  return priceItems(deliveryPrices).map(({ mile, amount }) => ({
    mile,
    priceCents: basePriceCents + Math.round(amount * 100),
  }));
}
