import { Bounds, divIcon, type LatLng, type Map as LeafletMap, LineUtil } from 'leaflet';
import { useEffect, useMemo } from 'react';
import { Marker, useMap } from 'react-leaflet';
import type { Position } from '#src/geo/position.ts';
import { toLatLng } from './leaflet.ts';

/** A map event: a control or a note appeared or disappeared. */
export const overlayChanged = 'overlaychange';

export type Label = { name: string; center: Position };

type MapLabelsProps = {
  city: Label;
  counties: Label[];
  prices: Label[];
  ring: LatLng[];
  selected: LatLng | null;
};

/**
 * The names on the map. Where two would overlap, the later one is hidden; the city's comes first and stands for a county of
 * the same name.
 * @param ring the edge of the area, which no county's name crosses
 */
export function MapLabels({ city, counties, prices, ring, selected }: MapLabelsProps) {
  const map = useMap();
  useEffect(() => {
    let isUnmounted = false;
    const update = () => isUnmounted || hideCrowded(map, ring, selected);
    update();
    // The size of a label depends on its font.
    void document.fonts.ready.then(update);
    map.on(`moveend zoomend resize ${overlayChanged}`, update);
    return () => {
      isUnmounted = true;
      map.off(`moveend zoomend resize ${overlayChanged}`, update);
    };
  }, [map, ring, selected]);
  return (
    <>
      <MapLabel label={city} className="map-name map-city" />
      {prices.map((price) => (
        <MapLabel key={price.center.join()} label={price} className="map-name map-price" />
      ))}
      {counties
        .filter((county) => county.name !== city.name)
        .map((county) => (
          <MapLabel key={county.name + county.center.join()} label={county} className="map-name" />
        ))}
    </>
  );
}

function MapLabel({ label: { name, center }, className }: { label: Label; className: string }) {
  const icon = useMemo(() => {
    const text = document.createElement('span');
    text.textContent = name;
    return divIcon({ html: text, className, iconSize: [0, 0] });
  }, [name, className]);
  const position = useMemo(() => toLatLng(center), [center]);
  return <Marker position={position} icon={icon} interactive={false} keyboard={false} alt="" />;
}

/** Hides labels that overlap another, a control, or the map's edge, and county labels that the ring would cross. */
function hideCrowded(map: LeafletMap, ring: LatLng[], selected: LatLng | null): void {
  const edge = map.getContainer().getBoundingClientRect();
  const occupied = [...map.getContainer().querySelectorAll('.leaflet-control, .map-note')].map((control) =>
    control.getBoundingClientRect(),
  );
  if (selected) {
    const { x, y } = map.latLngToContainerPoint(selected);
    occupied.push(new DOMRect(edge.left + x - 10, edge.top + y - 10, 20, 20));
  }
  const line = ring.map((position) => map.latLngToContainerPoint(position));
  const isCrossed = ({ left, right, top, bottom }: DOMRect) => {
    const box = new Bounds([left - edge.left, top - edge.top], [right - edge.left, bottom - edge.top]);
    return line.some((point, index) => LineUtil.clipSegment(line[index - 1] ?? point, point, box) !== false);
  };
  for (const label of map.getPane('markerPane')?.querySelectorAll('.map-name') ?? []) {
    const box = label.firstElementChild?.getBoundingClientRect();
    if (!box) continue;
    const isCut =
      box.left < edge.left || box.right > edge.right || box.top < edge.top || box.bottom > edge.bottom;
    const isCity = label.classList.contains('map-city');
    const isCrowded = isCut || occupied.some((other) => doOverlap(box, other)) || (!isCity && isCrossed(box));
    label.classList.toggle('is-crowded', isCrowded);
    if (!isCrowded) occupied.push(box);
  }
}

function doOverlap(a: DOMRect, b: DOMRect): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
