'use client';

import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Component, type ComponentType, type ReactNode, useCallback, useRef, useState } from 'react';
import type { BackgroundMap } from '#src/geo/background-map.ts';
import { fetchJson } from '../api.ts';
import { useNearViewport } from '../ui/use-near-viewport.ts';
import { MapNotice } from './map-notice.tsx';
import type { ServiceMapProps } from './service-map.tsx';

type AreaMapProps = Omit<ServiceMapProps, 'backgroundMap' | 'onReady'> & {
  /** The background map is a file of its own, which the browser caches. */
  backgroundMapUrl: string;
  /** The static map: shown until the interactive map is ready, and for good if it fails. */
  children: ReactNode;
  /** Loads the interactive map immediately, for a map at the top of its page. */
  eager?: boolean;
};

/**
 * The interactive map over its static map, without a layout shift. The parent gives it a height. Its script and background
 * map load when it comes near the viewport: far down a phone's page, most never do.
 */
export function AreaMap({ children, eager = false, backgroundMapUrl, ...map }: AreaMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  const { ServiceMap, backgroundMap, hasFailed, load, retry, fail } = useMapParts(backgroundMapUrl, eager);
  useNearViewport(box, load, { marginPixels: 200, isNear: eager });
  const handleError = () => {
    setReady(false);
    fail();
  };
  return (
    <div ref={box} tabIndex={-1} className="absolute inset-0 outline-none">
      <div className={isReady && !hasFailed ? 'invisible' : ''}>{children}</div>
      {ServiceMap && backgroundMap && !hasFailed && (
        <ErrorBoundary onError={handleError}>
          <ServiceMap {...map} backgroundMap={backgroundMap} onReady={() => setReady(true)} />
        </ErrorBoundary>
      )}
      <MapNotice isShown={hasFailed} onRetry={retry}>
        The map can’t be moved right now.
      </MapNotice>
    </div>
  );
}

const importMap = () => import('./service-map.tsx');

/** Loads the script by hand because React holds back a component that `lazy` loads for a third of a second. */
function useMapParts(backgroundMapUrl: string, eager: boolean) {
  const client = useQueryClient();
  const query = backgroundMapQuery(backgroundMapUrl);
  // Requested in the first render, both load during hydration rather than after it.
  useState(() => {
    if (!eager || typeof window === 'undefined') return;
    void client.prefetchQuery(query);
    importMap().catch(() => undefined);
  });
  const [isNeeded, setNeeded] = useState(false);
  const [ServiceMap, setServiceMap] = useState<ComponentType<ServiceMapProps>>();
  const [hasError, setHasError] = useState(false);
  const { data, isError, refetch } = useQuery({ ...query, enabled: isNeeded });
  const fail = useCallback(() => setHasError(true), []);
  const load = useCallback(() => {
    setHasError(false);
    setNeeded(true);
    importMap().then(({ default: loaded }) => setServiceMap(() => loaded), fail);
  }, [fail]);
  const retry = () => {
    load();
    if (isError) void refetch();
  };
  return { ServiceMap, backgroundMap: data, hasFailed: hasError || isError, load, retry, fail };
}

function backgroundMapQuery(url: string) {
  return queryOptions({
    queryKey: [url],
    queryFn: ({ signal }) => fetchJson<BackgroundMap>(url, { signal, cache: 'default' }),
    // The URL changes with the content; until the new map is here, the previous one is better than none.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
    // Offline, the browser may still have it in its cache.
    networkMode: 'always',
    meta: { isReportedInline: true },
  });
}

class ErrorBoundary extends Component<{ onError: () => void; children: ReactNode }, { hasError: boolean }> {
  override state = { hasError: false };

  static getDerivedStateFromError() {
    return { hasError: true };
  }

  override componentDidCatch() {
    this.props.onError();
  }

  override render() {
    return !this.state.hasError && this.props.children;
  }
}
