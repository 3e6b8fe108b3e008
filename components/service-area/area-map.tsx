'use client';

import { type QueryClient, useQueryClient } from '@tanstack/react-query';
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
import { callOwn } from '../api.ts';
import type { BaseMap } from './base-map.ts';
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
  const { parts, hasFailed, load, fail } = useMapParts(baseMapAddress, isAtOnce);
  useNearness(box, load, isAtOnce);
  const handleFault = () => {
    setReady(false);
    fail();
  };
  const retry = () => {
    // The button that had the focus leaves the page.
    box.current?.focus({ preventScroll: true });
    load();
  };
  return (
    <div ref={box} tabIndex={-1} className="absolute inset-0 outline-none">
      <div className={isReady ? 'invisible' : ''}>{children}</div>
      {parts && !hasFailed && (
        <FaultBoundary onFault={handleFault}>
          <parts.ServiceMap {...map} baseMap={parts.baseMap} onReady={() => setReady(true)} />
        </FaultBoundary>
      )}
      {hasFailed && <MapNotice onRetry={retry}>The map can’t be moved right now.</MapNotice>}
    </div>
  );
}

type MapParts = { ServiceMap: ComponentType<ServiceMapProps>; baseMap: BaseMap };

/** @throws when the script or the base map does not come */
async function loadParts(client: QueryClient, baseMapAddress: string): Promise<MapParts> {
  const [{ default: ServiceMap }, baseMap] = await Promise.all([
    import('./service-map.tsx'),
    client.fetchQuery({
      queryKey: [baseMapAddress],
      queryFn: ({ signal }) => callOwn<BaseMap>(baseMapAddress, { signal, cache: 'default' }),
      staleTime: Number.POSITIVE_INFINITY,
      meta: { isSaidInPlace: true },
    }),
  ]);
  return { ServiceMap, baseMap };
}

/** By hand, as what `lazy` loads is held back for a third of a second so that it does not flicker; here nothing does. */
function useMapParts(baseMapAddress: string, isAtOnce: boolean) {
  const client = useQueryClient();
  // Asked for with the first rendering, they come while the page is made interactive, not after.
  useState(
    () =>
      isAtOnce && typeof window !== 'undefined' && loadParts(client, baseMapAddress).catch(() => undefined),
  );
  const [parts, setParts] = useState<MapParts>();
  const [hasFailed, setFailed] = useState(false);
  const fail = useCallback(() => setFailed(true), []);
  const load = useCallback(() => {
    setFailed(false);
    loadParts(client, baseMapAddress).then(setParts, fail);
  }, [client, baseMapAddress, fail]);
  return { parts, hasFailed, load, fail };
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
