'use client';

import 'leaflet/dist/leaflet.css';
import './map.css';
import type { MapOptions } from 'leaflet';
import { useMemo, useState } from 'react';
import { CircleMarker, MapContainer, Polygon, Polyline, ScaleControl } from 'react-leaflet';
import type { BaseMap } from '#src/geo/base-map.ts';
import { boundsOf, type LatLng } from '#src/geo/geometry.ts';
import { AreaPolygon } from './area-polygon.tsx';
import { fitOptions, latLngBounds, MapBehaviour } from './map-behaviour.tsx';
import { MapNames } from './map-names.tsx';
import { MapNotice } from './map-notice.tsx';
import { type DrawnArea, useDrawnRing, useWholeRing } from './service-area-ring.ts';
import { StreetTiles, type TileSource } from './street-tiles.tsx';

export type ServiceMapProps = {
  area: DrawnArea;
  centre: LatLng;
  centreName: string;
  baseMap: BaseMap;
  /** What the map shows, for those who cannot see it. */
  label: string;
  /** Street tiles, only where the operator has set some up. */
  tiles?: TileSource | undefined;
  /** The point under question, marked and brought into view. */
  picked?: LatLng | null;
  onPick?: (point: LatLng) => void;
  onReady?: () => void;
};

/** Leaflet's map of the service area. It fills the nearest positioned ancestor, which needs a height. */
export default function ServiceMap({ area, centre, centreName, baseMap, label, ...rest }: ServiceMapProps) {
  const { tiles, picked = null, onPick, onReady } = rest;
  const drawn = useDrawnRing(area);
  const bounds = useMemo(() => boundsOf(drawn), [drawn]);
  // With the points that the page brought while they are all one sees, closer up with every point.
  const [isClose, setClose] = useState(false);
  const whole = useWholeRing(area, isClose);
  const [hasTiles, setHasTiles] = useState(false);
  return (
    <div className={hasTiles ? 'map map-with-tiles' : 'map'}>
      <MapContainer
        {...mapOptions(baseMap, tiles)}
        bounds={latLngBounds(bounds)}
        boundsOptions={fitOptions}
        className={onPick ? 'map-picks' : ''}
      >
        {tiles && <StreetTiles source={tiles} onFirstTile={() => setHasTiles(true)} />}
        <Surroundings baseMap={baseMap} />
        <AreaPolygon
          ring={(isClose && whole.ring) || drawn}
          bounds={bounds}
          onSize={(longerSidePx) => setClose(longerSidePx > area.sharpUpToPx)}
        />
        <CircleMarker center={centre} radius={0} interactive={false} className="map-centre" />
        <MapNames counties={baseMap.counties} city={{ name: centreName, at: centre }} ring={drawn} />
        {picked && (
          <CircleMarker
            key={picked.join()}
            center={picked}
            radius={8}
            interactive={false}
            className="map-pick"
          />
        )}
        <ScaleControl position="bottomleft" imperial metric={false} maxWidth={140} />
        <MapBehaviour
          area={bounds}
          centre={centre}
          label={label}
          picked={picked}
          onPick={onPick}
          onReady={onReady}
        />
      </MapContainer>
      <MapNotice isShown={isClose && whole.hasFailed} onRetry={whole.tryAgain}>
        The area’s edge is only roughly right so close up.
      </MapNotice>
    </div>
  );
}

function Surroundings({ baseMap }: { baseMap: BaseMap }) {
  const lines = { interactive: false };
  return (
    <>
      <Polygon positions={baseMap.land} {...lines} className="map-land" />
      <Polyline positions={baseMap.countyLines} {...lines} className="map-county-line" />
      <Polyline positions={baseMap.coastLines} {...lines} className="map-coast-line" />
      <Polyline positions={baseMap.stateLines} {...lines} className="map-state-line" />
    </>
  );
}

function mapOptions({ bounds }: BaseMap, tiles: TileSource | undefined): MapOptions {
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  return {
    maxZoom: 17,
    // Tiles are drawn for whole steps; without them the area is fitted exactly.
    zoomSnap: tiles ? 1 : 0,
    maxBounds: latLngBounds(bounds),
    maxBoundsViscosity: 1,
    zoomAnimation: !isCalm,
    markerZoomAnimation: !isCalm,
    fadeAnimation: !isCalm,
    inertia: !isCalm,
    // The wheel belongs to the page until the map has the focus.
    scrollWheelZoom: false,
    attributionControl: false,
  };
}
