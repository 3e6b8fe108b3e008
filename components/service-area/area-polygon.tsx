'use client';

import type { Map as LeafletMap } from 'leaflet';
import { useEffect, useEffectEvent } from 'react';
import { Polygon, useMap, useMapEvent } from 'react-leaflet';
import type { Bounds, LatLng } from '#src/geo/geometry.ts';
import { latLngBounds } from './map-behaviour.tsx';

type AreaPolygonProps = {
  ring: LatLng[];
  bounds: Bounds;
  /** Hears how long the longer side of the area is with each zoom. */
  onSize: (longerSidePx: number) => void;
};

/** The service area on the map. */
export function AreaPolygon({ ring, bounds, onSize }: AreaPolygonProps) {
  const map = useMap();
  const tellSize = useEffectEvent(() => onSize(longerSidePx(map, bounds)));
  useEffect(() => tellSize(), []);
  useMapEvent('zoomend', () => onSize(longerSidePx(map, bounds)));
  return <Polygon positions={ring} interactive={false} className="map-area" />;
}

function longerSidePx(map: LeafletMap, bounds: Bounds): number {
  const box = latLngBounds(bounds);
  const size = map.project(box.getSouthEast()).subtract(map.project(box.getNorthWest()));
  return Math.max(size.x, size.y);
}
