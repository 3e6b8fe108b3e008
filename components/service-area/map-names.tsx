'use client';

import { Bounds, divIcon, type Map as LeafletMap, LineUtil } from 'leaflet';
import { useEffect, useMemo } from 'react';
import { Marker, useMap } from 'react-leaflet';
import type { LatLng } from '#src/geo/geometry.ts';

/** An event of the map: something else came to stand on it, or went. */
export const roomChanged = 'roomchange';

type Place = { name: string; at: LatLng };

type MapNamesProps = { city: Place; counties: Place[]; ring: LatLng[] };

/**
 * The names on the map. Where two would touch, the later one gives way; the city's comes first, and stands for its county.
 * @param ring the line of the area, which no county's name crosses
 */
export function MapNames({ city, counties, ring }: MapNamesProps) {
  const map = useMap();
  useEffect(() => {
    let isGone = false;
    const update = () => isGone || hideCrowded(map, ring);
    update();
    // How much room a name takes is only known with its letters.
    void document.fonts.ready.then(update);
    map.on(`moveend zoomend resize ${roomChanged}`, update);
    return () => {
      isGone = true;
      map.off(`moveend zoomend resize ${roomChanged}`, update);
    };
  }, [map, ring]);
  return (
    <>
      <Name place={city} className="map-name map-city" />
      {counties
        .filter((county) => county.name !== city.name)
        .map((county) => (
          <Name key={county.name + county.at.join()} place={county} className="map-name" />
        ))}
    </>
  );
}

function Name({ place, className }: { place: Place; className: string }) {
  const icon = useMemo(() => {
    const text = document.createElement('span');
    text.textContent = place.name;
    return divIcon({ html: text, className, iconSize: [0, 0] });
  }, [place.name, className]);
  return <Marker position={place.at} icon={icon} interactive={false} keyboard={false} alt="" />;
}

/** Hides the names that touch another, a control or the map's edge, and of counties those that the ring would strike through. */
function hideCrowded(map: LeafletMap, ring: LatLng[]): void {
  const edge = map.getContainer().getBoundingClientRect();
  const taken = [...map.getContainer().querySelectorAll('.leaflet-control, .map-note')].map((control) =>
    control.getBoundingClientRect(),
  );
  const line = ring.map((place) => map.latLngToContainerPoint(place));
  const isStruck = ({ left, right, top, bottom }: DOMRect) => {
    const room = new Bounds([left - edge.left, top - edge.top], [right - edge.left, bottom - edge.top]);
    return line.some((point, index) => LineUtil.clipSegment(line[index - 1] ?? point, point, room) !== false);
  };
  for (const name of map.getPane('markerPane')?.querySelectorAll('.map-name') ?? []) {
    const box = name.firstElementChild?.getBoundingClientRect();
    if (!box) continue;
    const isCut =
      box.left < edge.left || box.right > edge.right || box.top < edge.top || box.bottom > edge.bottom;
    const isCity = name.classList.contains('map-city');
    const isCrowded = isCut || taken.some((other) => touch(box, other)) || (!isCity && isStruck(box));
    name.classList.toggle('is-crowded', isCrowded);
    if (!isCrowded) taken.push(box);
  }
}

function touch(a: DOMRect, b: DOMRect): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
