'use client';

import { divIcon } from 'leaflet';
import { useEffect, useMemo } from 'react';
import { Marker, useMap } from 'react-leaflet';
import type { LatLng } from './geometry.ts';

type Place = { name: string; at: LatLng };

/** The names on the map. Where two would touch, the later one gives way; the city's comes first. */
export function MapNames({ city, counties }: { city: Place; counties: Place[] }) {
  const map = useMap();
  useEffect(() => {
    const update = () => hideCrowded(map.getPane('markerPane'));
    update();
    map.on('zoomend resize', update);
    return () => void map.off('zoomend resize', update);
  }, [map]);
  return (
    <>
      <Name place={city} className="map-name map-city" />
      {counties.map((county) => (
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

function hideCrowded(pane: HTMLElement | undefined): void {
  const shown: DOMRect[] = [];
  for (const name of pane?.querySelectorAll('.map-name') ?? []) {
    const box = name.firstElementChild?.getBoundingClientRect();
    if (!box) continue;
    const isCrowded = shown.some(
      (other) =>
        box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom,
    );
    name.classList.toggle('is-crowded', isCrowded);
    if (!isCrowded) shown.push(box);
  }
}
