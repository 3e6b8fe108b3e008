'use client';

import type { Map as LeafletMap } from 'leaflet';
import { useState } from 'react';
import { Polygon, useMap, useMapEvent } from 'react-leaflet';
import { type DrawnArea, useDrawnRing, useWholeRing } from './drawn-area.ts';
import type { Bounds } from './geometry.ts';
import { latLngBounds } from './map-behaviour.tsx';

type AreaPolygonProps = { area: DrawnArea; bounds: Bounds };

/** The service area: with the points that the page brought while they are all one sees, closer up with every point. */
export function AreaPolygon({ area, bounds }: AreaPolygonProps) {
  const map = useMap();
  const isCloseNow = () => longerSidePx(map, bounds) > area.sharpUpToPx;
  const [isClose, setClose] = useState(isCloseNow);
  useMapEvent('zoomend', () => setClose(isCloseNow()));
  const drawn = useDrawnRing(area);
  const { ring } = useWholeRing(area, isClose);
  return <Polygon positions={(isClose && ring) || drawn} interactive={false} className="map-area" />;
}

function longerSidePx(map: LeafletMap, bounds: Bounds): number {
  const box = latLngBounds(bounds);
  const size = map.project(box.getSouthEast()).subtract(map.project(box.getNorthWest()));
  return Math.max(size.x, size.y);
}
