'use client';

import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  Component,
  type ComponentType,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { BaseMap } from '#src/geo/base-map.ts';
import { fetchJson } from '../api.ts';
import { MapNotice } from './map-notice.tsx';
import type { ServiceMapProps } from './service-map.tsx';

type AreaMapProps = Omit<ServiceMapProps, 'baseMap' | 'onReady'> & {
  /** What lies around the area is a file of its own, which the browser keeps. */
  baseMapAddress: string;
  /** The drawn picture: shown until the interactive map is there, and for good where it cannot be. */
  children: ReactNode;
  /** The map is what one sees first of its page, so nothing is waited for. */
  isAtOnce?: boolean;
};

/**
 * The interactive map over its drawn picture, so that nothing jumps. The parent gives it a height. Its script and its base
 * map are loaded when one comes near it: far down a phone's page, most never do.
 */
export function AreaMap({ children, isAtOnce = false, baseMapAddress, ...map }: AreaMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  const { ServiceMap, baseMap, hasFailed, load, retry, fail } = useMapParts(baseMapAddress, isAtOnce);
  useNearness(box, load, isAtOnce);
  const handleFault = () => {
    setReady(false);
    fail();
  };
  return (
    <div ref={box} tabIndex={-1} className="absolute inset-0 outline-none">
      <div className={isReady && !hasFailed ? 'invisible' : ''}>{children}</div>
      {ServiceMap && baseMap && !hasFailed && (
        <FaultBoundary onFault={handleFault}>
          <ServiceMap {...map} baseMap={baseMap} onReady={() => setReady(true)} />
        </FaultBoundary>
      )}
      <MapNotice isShown={hasFailed} onRetry={retry}>
        The map can’t be moved right now.
      </MapNotice>
    </div>
  );
}

const importMap = () => import('./service-map.tsx');

/** What the map needs, from when it is loaded; the script by hand, as what `lazy` loads is held back for a third of a second. */
function useMapParts(baseMapAddress: string, isAtOnce: boolean) {
  const client = useQueryClient();
  const query = baseMapQuery(baseMapAddress);
  // Asked for with the first rendering, they come while the page is made interactive, not after.
  useState(() => {
    if (!isAtOnce || typeof window === 'undefined') return;
    void client.prefetchQuery(query);
    importMap().catch(() => undefined);
  });
  const [isWanted, setWanted] = useState(false);
  const [ServiceMap, setMap] = useState<ComponentType<ServiceMapProps>>();
  const [hasFault, setFault] = useState(false);
  const { data, isError, refetch } = useQuery({ ...query, enabled: isWanted });
  const fail = useCallback(() => setFault(true), []);
  const load = useCallback(() => {
    setFault(false);
    setWanted(true);
    importMap().then(({ default: loaded }) => setMap(() => loaded), fail);
  }, [fail]);
  const retry = () => {
    load();
    if (isError) void refetch();
  };
  return { ServiceMap, baseMap: data, hasFailed: hasFault || isError, load, retry, fail };
}

function baseMapQuery(address: string) {
  return queryOptions({
    queryKey: [address],
    queryFn: ({ signal }) => fetchJson<BaseMap>(address, { signal, cache: 'default' }),
    // Another map has another address; until it is there the one before is better than none.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
    // Without a connection the browser may still have it.
    networkMode: 'always',
    meta: { isReportedInPlace: true },
  });
}

/** Calls back once the element is in the window or just below it, without looking where that is known. */
function useNearness(element: RefObject<Element | null>, onNear: () => void, isNear: boolean): void {
  useEffect(() => {
    if (isNear) return onNear();
    if (!element.current) return;
    const observer = new IntersectionObserver(
      (seen) => {
        if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        onNear();
      },
      { rootMargin: '0px 0px 200px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, onNear, isNear]);
}

/** What is thrown while the map is drawn goes no further. */
class FaultBoundary extends Component<{ onFault: () => void; children: ReactNode }, { hasFault: boolean }> {
  override state = { hasFault: false };

  static getDerivedStateFromError() {
    return { hasFault: true };
  }

  override componentDidCatch() {
    this.props.onFault();
  }

  override render() {
    return !this.state.hasFault && this.props.children;
  }
}
