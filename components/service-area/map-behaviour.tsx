'use client';

import {
  type FitBoundsOptions,
  LatLngBounds,
  type LeafletKeyboardEvent,
  type Map as LeafletMap,
} from 'leaflet';
import { useEffect, useEffectEvent } from 'react';
import { useMap, useMapEvents } from 'react-leaflet';
import type { Bounds, LatLng } from '#src/geo/geometry.ts';

type MapBehaviourProps = {
  area: Bounds;
  centre: LatLng;
  label: string;
  picked: LatLng | null;
  onPick: ((point: LatLng) => void) | undefined;
  onReady: (() => void) | undefined;
};

/** How the map answers: fitted to the area, keys, the wheel only while it has the focus, a click or Enter picks. */
export function MapBehaviour({ area, centre, label, picked, onPick, onReady }: MapBehaviourProps) {
  const map = useMap();
  const { south, west, north, east } = area;
  const showAll = useEffectEvent(() => fitTo(map, area, picked));
  const handleReady = useEffectEvent(() => onReady?.());
  useEffect(() => {
    // The map opens fitted; fitting it again would draw everything twice.
    map.setMinZoom(map.getZoom());
    handleReady();
    // Who has come nearer keeps what is in the middle.
    const handleResize = () => {
      if (map.getZoom() <= map.getMinZoom()) showAll();
    };
    map.on('resize', handleResize);
    return () => void map.off('resize', handleResize);
  }, [map]);
  useEffect(() => {
    const container = map.getContainer();
    container.setAttribute('role', 'application');
    container.setAttribute('aria-label', label);
  }, [map, label]);
  useEffect(() => {
    if (!picked) return;
    const bounds = { south, west, north, east };
    const isNear = latLngBounds(bounds).contains(picked) || map.getBounds().contains(picked);
    if (isNear) map.panInside(picked, besideButtons);
    else fitTo(map, bounds, picked);
  }, [map, picked, south, west, north, east]);
  useZoomAround(picked ?? centre);
  usePicking(onPick);
  useWheelWithFocus(map);
  return null;
}

function usePicking(onPick: ((point: LatLng) => void) | undefined): void {
  const map = useMapEvents({
    click: ({ latlng }) => onPick?.([latlng.lat, latlng.lng]),
    keydown: ({ originalEvent }: LeafletKeyboardEvent) => {
      if (originalEvent.key !== 'Enter' || originalEvent.target !== map.getContainer()) return;
      const { lat, lng } = map.getCenter();
      onPick?.([lat, lng]);
    },
  });
}

/** The button for coming nearer leaves this place where it is, if it is seen: a few presses would lead to where nothing is. */
function useZoomAround(place: LatLng): void {
  const map = useMap();
  useEffect(() => {
    const { zoomIn } = map;
    map.zoomIn = (delta = 1, options) => {
      if (!map.getBounds().contains(place)) return zoomIn.call(map, delta, options);
      return map.setZoomAround(place, Math.min(map.getZoom() + delta, map.getMaxZoom()), options);
    };
    return () => {
      map.zoomIn = zoomIn;
    };
  }, [map, place]);
}

function useWheelWithFocus(map: LeafletMap): void {
  useEffect(() => {
    const container = map.getContainer();
    const enable = () => void map.scrollWheelZoom.enable();
    const disable = () => void map.scrollWheelZoom.disable();
    container.addEventListener('focusin', enable);
    container.addEventListener('focusout', disable);
    return () => {
      container.removeEventListener('focusin', enable);
      container.removeEventListener('focusout', disable);
    };
  }, [map]);
}

function isOnMap(map: LeafletMap, [lat, lng]: LatLng): boolean {
  const { maxBounds } = map.options;
  return !(maxBounds instanceof LatLngBounds) || maxBounds.contains([lat, lng]);
}

/**
 * Shows the area, and with it the point under question: one alone says little, and what lies off the shipped map can't be
 * shown. Zooming out further would only show where that map ends.
 */
function fitTo(map: LeafletMap, area: Bounds, picked: LatLng | null): void {
  const bounds = latLngBounds(area);
  const isBeyond = picked && isOnMap(map, picked) && !bounds.contains(picked);
  if (isBeyond) bounds.extend(picked);
  map.setMinZoom(0);
  map.fitBounds(bounds, { ...(isBeyond ? besideButtons : fitOptions), animate: false });
  map.setMinZoom(map.getZoom());
}

/** Beside the buttons for the zoom and above the scale, as the drawn picture is. */
export const fitOptions = {
  paddingTopLeft: [64, 16],
  paddingBottomRight: [16, 40],
} satisfies FitBoundsOptions;

const besideButtons = { paddingTopLeft: [72, 40], paddingBottomRight: [40, 40] } satisfies FitBoundsOptions;

export function latLngBounds({ south, west, north, east }: Bounds): LatLngBounds {
  return new LatLngBounds([south, west], [north, east]);
}
