import {
  type FitBoundsOptions,
  type LatLng,
  LatLngBounds,
  type LeafletKeyboardEvent,
  type Map as LeafletMap,
} from 'leaflet';
import { useEffect, useEffectEvent } from 'react';
import { useMap, useMapEvents } from 'react-leaflet';
import type { Position } from '#src/geo/position.ts';
import { toPosition } from './leaflet.ts';

type MapInteractionProps = {
  areaBounds: LatLngBounds;
  center: LatLng;
  label: string;
  selected: LatLng | null;
  onSelect: ((point: Position) => void) | undefined;
  onReady: () => void;
};

/** Fits the map to the area, zooms by the wheel while the map has the focus, and selects a point by click or Enter. */
export function MapInteraction(props: MapInteractionProps) {
  const { areaBounds, center, label, selected, onSelect, onReady } = props;
  const map = useMap();
  const showAll = useEffectEvent(() => fitTo(map, areaBounds, selected));
  const handleReady = useEffectEvent(onReady);
  useReducedMotion(map);
  useEffect(() => {
    // The map opens fitted; fitting it again would draw everything twice.
    map.setMinZoom(map.getZoom());
    handleReady();
    // After zooming in, a resize keeps what is in the middle.
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
    if (!selected) return;
    if (areaBounds.contains(selected) || map.getBounds().contains(selected)) {
      map.panInside(selected, paddingAroundPoint);
    } else fitTo(map, areaBounds, selected);
  }, [map, selected, areaBounds]);
  useZoomAround(selected ?? center);
  useEndOfZoom(map);
  useSelection(onSelect);
  useWheelWithFocus(map);
  return null;
}

function useSelection(onSelect: ((point: Position) => void) | undefined): void {
  const map = useMapEvents({
    click: ({ latlng }) => onSelect?.(toPosition(latlng)),
    keydown: ({ originalEvent }: LeafletKeyboardEvent) => {
      // Leaflet hides the outline after a click, and stops the keys that it handles before its own listener would show it again.
      map.getContainer().style.outlineStyle = '';
      if (originalEvent.key !== 'Enter' || originalEvent.target !== map.getContainer()) return;
      onSelect?.(toPosition(map.getCenter()));
    },
  });
}

export const isMotionReduced = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** No option of Leaflet turns off the animation of `panBy`, by which arrow keys and `panInside` move the map. */
function useReducedMotion(map: LeafletMap): void {
  useEffect(() => {
    if (!isMotionReduced()) return;
    const { panBy } = map;
    map.panBy = (offset, options) => panBy.call(map, offset, { ...options, animate: false });
    return () => {
      map.panBy = panBy;
    };
  }, [map]);
}

/** The zoom-in button keeps a visible point where it is; zooming to the middle would soon lose it. */
function useZoomAround(point: LatLng): void {
  const map = useMap();
  useEffect(() => {
    const { zoomIn } = map;
    map.zoomIn = (delta = 1, options) => {
      if (!map.getBounds().contains(point)) return zoomIn.call(map, delta, options);
      return map.setZoomAround(point, Math.min(map.getZoom() + delta, map.getMaxZoom()), options);
    };
    return () => {
      map.zoomIn = zoomIn;
    };
  }, [map, point]);
}

/** Leaflet 1.9 ends a zoom by a timer that removing the map does not clear, and that then fails for the missing map. */
function useEndOfZoom(map: LeafletMap): void {
  useEffect(() => () => void Object.assign(map, { _animatingZoom: false }), [map]);
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

/** Whether the background map reaches the point. */
function isOnMap(map: LeafletMap, point: LatLng): boolean {
  const { maxBounds } = map.options;
  return !(maxBounds instanceof LatLngBounds) || maxBounds.contains(point);
}

/** Shows the area together with the selected point, as far out as one can zoom. */
function fitTo(map: LeafletMap, areaBounds: LatLngBounds, selected: LatLng | null): void {
  const isBeyond = selected && isOnMap(map, selected) && !areaBounds.contains(selected);
  const bounds = new LatLngBounds(areaBounds.getSouthWest(), areaBounds.getNorthEast());
  if (isBeyond) bounds.extend(selected);
  map.setMinZoom(0);
  map.fitBounds(bounds, { ...(isBeyond ? paddingAroundPoint : fitOptions), animate: false });
  map.setMinZoom(map.getZoom());
}

/** Clear of the zoom buttons and the scale, as the static map is. */
export const fitOptions = {
  paddingTopLeft: [64, 16],
  paddingBottomRight: [16, 40],
} satisfies FitBoundsOptions;

const paddingAroundPoint = {
  paddingTopLeft: [72, 40],
  paddingBottomRight: [40, 40],
} satisfies FitBoundsOptions;
