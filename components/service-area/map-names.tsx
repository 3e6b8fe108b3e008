'use client';

import { divIcon, type Map as LeafletMap } from 'leaflet';
import { useEffect, useMemo } from 'react';
import { Marker, useMap } from 'react-leaflet';
import type { LatLng } from './geometry.ts';

/** An event of the map: something else came to stand on it, or went. */
export const roomChanged = 'roomchange';

type Place = { name: string; at: LatLng };

/** The names on the map. Where two would touch, the later one gives way; the city's comes first, and stands for its county. */
export function MapNames({ city, counties }: { city: Place; counties: Place[] }) {
  const map = useMap();
  useEffect(() => {
    let isGone = false;
    const update = () => isGone || hideCrowded(map);
    update();
    // How much room a name takes is only known with its letters.
    void document.fonts.ready.then(update);
    map.on(`moveend zoomend resize ${roomChanged}`, update);
    return () => {
      isGone = true;
      map.off(`moveend zoomend resize ${roomChanged}`, update);
    };
  }, [map]);
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

/** Hides the names that touch another, a control or the map's edge. */
function hideCrowded(map: LeafletMap): void {
  const edge = map.getContainer().getBoundingClientRect();
  const taken = [...map.getContainer().querySelectorAll('.leaflet-control, .map-note')].map((control) =>
    control.getBoundingClientRect(),
  );
  for (const name of map.getPane('markerPane')?.querySelectorAll('.map-name') ?? []) {
    const box = name.firstElementChild?.getBoundingClientRect();
    if (!box) continue;
    const isCut =
      box.left < edge.left || box.right > edge.right || box.top < edge.top || box.bottom > edge.bottom;
    const isCrowded = isCut || taken.some((other) => touch(box, other));
    name.classList.toggle('is-crowded', isCrowded);
    if (!isCrowded) taken.push(box);
  }
}

function touch(a: DOMRect, b: DOMRect): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
