'use client';

import { useEffect, useState } from 'react';
import { AttributionControl, TileLayer, useMap } from 'react-leaflet';
import { roomChanged } from './map-names.tsx';

export type TileSource = {
  /** `https://tile.example/{z}/{x}/{y}.png` */
  url: string;
  /** Who has to be named for the tiles; may hold links. */
  attribution: string;
};

/** Tiles under the outlines. Where they do not come, the outlines alone are the map, and a line says so. */
export function StreetTiles({ source, onFirstTile }: { source: TileSource; onFirstTile: () => void }) {
  const [state, setState] = useState<'waiting' | 'there' | 'missing'>('waiting');
  const map = useMap();
  useEffect(() => {
    if (state === 'missing') map.fire(roomChanged);
  }, [map, state]);
  const handleTile = () => {
    if (state === 'there') return;
    setState('there');
    onFirstTile();
  };
  const handleError = () => setState((before) => (before === 'waiting' ? 'missing' : before));
  return (
    <>
      <TileLayer
        url={source.url}
        attribution={source.attribution}
        eventHandlers={{ tileload: handleTile, tileerror: handleError }}
      />
      <AttributionControl prefix={false} />
      {state === 'missing' && (
        <p
          role="status"
          className="map-note absolute top-3 right-3 left-16 z-[900] mx-auto w-fit rounded-control border border-line-firm bg-raised px-3 py-1 text-small text-ink shadow-lift"
        >
          Street details can’t be loaded right now. The outlines are complete.
        </p>
      )}
    </>
  );
}
