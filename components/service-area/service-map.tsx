'use client';

import 'leaflet/dist/leaflet.css';
import './map.css';
import type { MapOptions } from 'leaflet';
import { useMemo, useState } from 'react';
import { CircleMarker, MapContainer, Polygon, Polyline, ScaleControl } from 'react-leaflet';
import { AreaPolygon } from './area-polygon.tsx';
import type { BaseMap } from './base-map.ts';
import { type DrawnArea, useDrawnRing } from './drawn-area.ts';
import { boundsOf, type LatLng } from './geometry.ts';
import { fitOptions, latLngBounds, MapBehaviour } from './map-behaviour.tsx';
import { MapNames } from './map-names.tsx';
import { StreetTiles, type TileSource } from './street-tiles.tsx';

export type ServiceMapProps = {
  area: DrawnArea;
  centre: LatLng;
  centreName: string;
  /** The base map as JSON: many small numbers are dear to send as properties. */
  baseMap: string;
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
export default function ServiceMap({ area, centre, centreName, label, ...rest }: ServiceMapProps) {
  const baseMap = useMemo<BaseMap>(() => JSON.parse(rest.baseMap), [rest.baseMap]);
  const { tiles, picked = null, onPick, onReady } = rest;
  const ring = useDrawnRing(area);
  const bounds = useMemo(() => boundsOf(ring), [ring]);
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
        <AreaPolygon area={area} bounds={bounds} />
        <CircleMarker center={centre} radius={0} interactive={false} className="map-centre" />
        <MapNames counties={baseMap.counties} city={{ name: centreName, at: centre }} />
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
        <MapBehaviour area={bounds} label={label} picked={picked} onPick={onPick} onReady={onReady} />
      </MapContainer>
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
