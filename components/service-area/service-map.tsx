import 'leaflet/dist/leaflet.css';
import { Browser, type LatLng, LatLngBounds, type Map as LeafletMap, type MapOptions } from 'leaflet';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import {
  Circle,
  CircleMarker,
  MapContainer,
  Polygon,
  Polyline,
  ScaleControl,
  useMap,
  useMapEvent,
} from 'react-leaflet';
import type { PriceStep } from '#src/cities/delivery-price.ts';
import type { BackgroundMap } from '#src/geo/background-map.ts';
import { milesPerDegree, type Position } from '#src/geo/position.ts';
import type { SimplifiedRing } from '#src/geo/service-area.ts';
import { dollarsOf } from '#src/money.ts';
import { toBounds, toLatLng } from './leaflet.ts';
import { fitOptions, isMotionReduced, MapInteraction } from './map-interaction.tsx';
import { type Label, MapLabels } from './map-labels.tsx';
import { MapNotice } from './map-notice.tsx';
import { useFullRing, useSimplifiedRing } from './service-area-ring.ts';
import { StreetTiles, type TileSource } from './street-tiles.tsx';

export type ServiceMapProps = {
  simplifiedRing: SimplifiedRing;
  center: Position;
  cityName: string;
  backgroundMap: BackgroundMap;
  /** The accessible name of the map. */
  label: string;
  /** Street tiles, if the operator has configured a source. */
  tiles?: TileSource | undefined;
  /** Drawn as rings around the center, with their prices. */
  priceSteps?: PriceStep[];
  /** Marked and brought into view. */
  selectedPoint?: Position | null;
  onSelect?: (point: Position) => void;
  onReady: () => void;
};

/** Leaflet's map of the service area. It fills the nearest positioned ancestor, which needs a height. */
export default function ServiceMap({
  simplifiedRing,
  backgroundMap,
  cityName,
  label,
  ...rest
}: ServiceMapProps) {
  const { tiles, selectedPoint = null, onSelect, onReady, priceSteps = noSteps } = rest;
  const simplified = useLatLngs(useSimplifiedRing(simplifiedRing));
  const areaBounds = useMemo(() => new LatLngBounds(simplified), [simplified]);
  // The simplified ring until the difference is visible, and the full one after zooming in.
  const [needsFullRing, setNeedsFullRing] = useState(false);
  const full = useFullRing(simplifiedRing, needsFullRing);
  const fullRing = useLatLngs(full.ring);
  const [hasTiles, setHasTiles] = useState(false);
  const center = useMemo(() => toLatLng(rest.center), [rest.center]);
  const priceLabels = useMemo(() => priceLabelsOf(priceSteps, rest.center), [priceSteps, rest.center]);
  const selected = useMemo(() => selectedPoint && toLatLng(selectedPoint), [selectedPoint]);
  return (
    <div className={hasTiles ? 'map map-with-tiles' : 'map'}>
      <MapContainer
        {...mapOptions(backgroundMap, tiles)}
        bounds={areaBounds}
        boundsOptions={fitOptions}
        className={onSelect ? 'map-selectable' : ''}
      >
        {tiles && <StreetTiles source={tiles} onFirstTile={() => setHasTiles(true)} />}
        <BackgroundLayers backgroundMap={backgroundMap} />
        <AreaPolygon
          ring={needsFullRing && fullRing.length > 0 ? fullRing : simplified}
          bounds={areaBounds}
          onResize={(longerSidePx) => setNeedsFullRing(longerSidePx > simplifiedRing.fullDetailAbovePx)}
        />
        {priceSteps.map(({ milesMax }) => (
          <Circle
            key={milesMax}
            center={center}
            radius={milesMax * metersPerMile}
            interactive={false}
            className="map-price-ring"
          />
        ))}
        <CircleMarker center={center} radius={0} interactive={false} className="map-center" />
        {selected && (
          <CircleMarker
            key={selected.toString()}
            center={selected}
            radius={8}
            interactive={false}
            className="map-selected"
          />
        )}
        <MapLabels
          city={{ name: cityName, center: rest.center }}
          counties={backgroundMap.counties}
          prices={priceLabels}
          ring={simplified}
          selected={selected}
        />
        <ScaleControl position="bottomleft" imperial metric={false} maxWidth={140} />
        <MapInteraction
          areaBounds={areaBounds}
          center={center}
          label={label}
          selected={selected}
          onSelect={onSelect}
          onReady={onReady}
        />
      </MapContainer>
      <MapNotice isShown={needsFullRing && full.hasFailed} onRetry={full.retry}>
        At this zoom level, the edge of the area is only approximate.
      </MapNotice>
    </div>
  );
}

const metersPerMile = 1609.344;
const noSteps: PriceStep[] = [];

/** At the southern end of each ring, where the zoom buttons and the city's name are not. */
function priceLabelsOf(steps: PriceStep[], [longitude, latitude]: Position): Label[] {
  return steps.map(({ milesMax, priceCents }) => ({
    name: dollarsOf(priceCents),
    center: [longitude, latitude - milesMax / milesPerDegree],
  }));
}

const noPositions: Position[] = [];

function useLatLngs(ring = noPositions): LatLng[] {
  return useMemo(() => ring.map(toLatLng), [ring]);
}

function BackgroundLayers({ backgroundMap }: { backgroundMap: BackgroundMap }) {
  const { land, countyLines, coastLines, stateLines } = useMemo(() => {
    const toLatLngs = (lines: Position[][]) => lines.map((line) => line.map(toLatLng));
    return {
      land: backgroundMap.land.map(toLatLngs),
      countyLines: toLatLngs(backgroundMap.countyLines),
      coastLines: toLatLngs(backgroundMap.coastLines),
      stateLines: toLatLngs(backgroundMap.stateLines),
    };
  }, [backgroundMap]);
  return (
    <>
      <Polygon positions={land} interactive={false} className="map-land" />
      <Polyline positions={countyLines} interactive={false} className="map-county-line" />
      <Polyline positions={coastLines} interactive={false} className="map-coast-line" />
      <Polyline positions={stateLines} interactive={false} className="map-state-line" />
    </>
  );
}

type AreaPolygonProps = {
  ring: LatLng[];
  bounds: LatLngBounds;
  /** Called with the length of the area's longer side at each zoom. */
  onResize: (longerSidePx: number) => void;
};

function AreaPolygon({ ring, bounds, onResize }: AreaPolygonProps) {
  const map = useMap();
  const reportSize = useEffectEvent(() => onResize(longerSidePx(map, bounds)));
  useEffect(() => reportSize(), []);
  useMapEvent('zoomend', () => onResize(longerSidePx(map, bounds)));
  return <Polygon positions={ring} interactive={false} className="map-area" />;
}

function longerSidePx(map: LeafletMap, bounds: LatLngBounds): number {
  const size = map.project(bounds.getSouthEast()).subtract(map.project(bounds.getNorthWest()));
  return Math.max(size.x, size.y);
}

function mapOptions({ box }: BackgroundMap, tiles: TileSource | undefined): MapOptions {
  const hasMotion = !isMotionReduced();
  return {
    maxZoom: 17,
    // Tiles exist for whole zoom levels; without them the area is fitted exactly.
    zoomSnap: tiles ? 1 : 0,
    maxBounds: toBounds(box),
    maxBoundsViscosity: 1,
    zoomAnimation: hasMotion,
    markerZoomAnimation: hasMotion,
    fadeAnimation: hasMotion,
    inertia: hasMotion,
    // The wheel scrolls the page until the map has the focus.
    scrollWheelZoom: false,
    // On phones and tablets, one finger scrolls the page, and two move and zoom the map.
    dragging: !Browser.mobile,
    attributionControl: false,
  };
}
