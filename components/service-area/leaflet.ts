/** Conversions to and from Leaflet's types, which have the latitude first. */
import type { BBox } from 'geojson';
import { LatLng, LatLngBounds } from 'leaflet';
import type { Position } from '#src/geo/position.ts';

export function toLatLng([longitude, latitude]: Position): LatLng {
  return new LatLng(latitude, longitude);
}

export function toPosition({ lng, lat }: LatLng): Position {
  return [lng, lat];
}

export function toBounds([west, south, east, north]: BBox): LatLngBounds {
  return new LatLngBounds([south, west], [north, east]);
}
