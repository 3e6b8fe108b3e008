import { useEffect, useState } from 'react';
import { AttributionControl, TileLayer, useMap } from 'react-leaflet';
import { overlayChanged } from './map-labels.tsx';

export type TileSource = {
  /** `https://tile.example/{z}/{x}/{y}.png` */
  url: string;
  /** The credit that the tile source requires; may contain links. */
  attribution: string;
};

/** Tiles under the outlines. If they don't load, the outlines alone are the map, and a note says so. */
export function StreetTiles({ source, onFirstTile }: { source: TileSource; onFirstTile: () => void }) {
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading');
  const map = useMap();
  useEffect(() => {
    if (state === 'failed') map.fire(overlayChanged);
  }, [map, state]);
  const handleTile = () => {
    if (state === 'loaded') return;
    setState('loaded');
    onFirstTile();
  };
  const handleError = () => setState((before) => (before === 'loading' ? 'failed' : before));
  return (
    <>
      <TileLayer
        url={source.url}
        attribution={source.attribution}
        eventHandlers={{ tileload: handleTile, tileerror: handleError }}
      />
      <AttributionControl prefix={false} />
      <div role="status">
        {state === 'failed' && (
          <p className="map-note absolute top-3 right-3 left-16 z-[900] mx-auto w-fit rounded-control border border-line-firm bg-raised px-3 py-1 text-small text-ink shadow-lift">
            Street details can’t be loaded right now. The outlines are complete.
          </p>
        )}
      </div>
    </>
  );
}
