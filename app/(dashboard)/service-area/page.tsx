import type { Metadata } from 'next';
import { AreaPicture } from '#components/service-area/area-picture.tsx';
import { AreaReach, areaSentence } from '#components/service-area/area-words.tsx';
import { baseMapAround } from '#components/service-area/base-map.ts';
import { CityApps } from '#components/service-area/city-apps.tsx';
import { cityArea } from '#components/service-area/city-area.ts';
import { PricePlot, priceSentence } from '#components/service-area/price-plot.tsx';
import { typedPoint, typedPointError } from '#components/service-area/typed-point.ts';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { settings } from '#settings.ts';
import { requireSession } from '../session.ts';
import { answerFor, distanceMiles } from './answer-for.ts';
import { AreaCheck } from './area-check.tsx';

export const metadata: Metadata = { title: 'Service area' };

type SearchParams = Promise<Record<string, string | string[] | undefined>>;

export default async function ServiceAreaPage({ searchParams }: { searchParams: SearchParams }) {
  const { city } = (await requireSession()).customer.customer;
  const { points, outline, centre } = cityArea(city);
  const prices = JSON.parse(city.delivery_prices).items.map((i: { mile: number; amount: number }) => ({
    mile: i.mile,
    priceCents: Math.round((city.base_price + i.amount) * 100),
  }));
  const { MAP_TILE_URL, MAP_TILE_ATTRIBUTION } = settings();
  const asked = (await searchParams).point;
  const text = typeof asked === 'string' ? asked : '';
  const point = typedPoint(text);
  const sentence = areaSentence(city, centre, points);
  const baseMap = await baseMapAround(outline);
  return (
    <>
      <PageHeader title="Service area">{sentence}</PageHeader>
      <AreaCheck
        cityName={city.name}
        polygon={city.polygon_points}
        centre={centre}
        baseMap={baseMap}
        tiles={MAP_TILE_URL ? { url: MAP_TILE_URL, attribution: MAP_TILE_ATTRIBUTION } : undefined}
        prices={prices}
        first={{
          text,
          answer: point && answerFor(point, points, { centre, prices }),
          error: text && !point ? typedPointError : undefined,
        }}
      >
        <AreaPicture outline={outline} centre={centre} baseMap={baseMap} label={`Map. ${sentence}`} />
      </AreaCheck>
      <div className="mt-4 grid items-start gap-4 sm:mt-6 sm:gap-6 desk:grid-cols-12">
        <Panel id="prices" title="What a delivery costs" className="desk:col-span-8">
          <p className="mb-4 text-muted">{priceSentence(prices)}</p>
          <PricePlot steps={prices} />
        </Panel>
        <Panel id="apps" title={`What runs in ${city.name}`} className="desk:col-span-4">
          <CityApps city={city} />
        </Panel>
        <Panel id="reach" title="How far deliveries go from the center" className="desk:col-span-8">
          <AreaReach centre={centre} points={points} distanceMiles={distanceMiles} />
        </Panel>
      </div>
    </>
  );
}
