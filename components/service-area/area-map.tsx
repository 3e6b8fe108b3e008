'use client';

import {
  type ComponentType,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import { Button } from '../ui/button.tsx';
import type { ServiceMapProps } from './service-map.tsx';

type AreaMapProps = Omit<ServiceMapProps, 'onReady'> & {
  /** The drawn picture: shown until the interactive map is there, and for good where it cannot be. */
  children: ReactNode;
};

/**
 * The interactive map over its drawn picture, so that nothing jumps. The parent gives it a height. Its script is loaded when
 * one comes near it: far down a phone's page, most never do.
 */
export function AreaMap({ children, ...map }: AreaMapProps) {
  const picture = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  const { ServiceMap, hasFailed, load } = useServiceMap();
  useNearness(picture, load);
  return (
    <>
      <div ref={picture} className={isReady ? 'invisible' : ''}>
        {children}
      </div>
      {ServiceMap && <ServiceMap {...map} onReady={() => setReady(true)} />}
      {hasFailed && <PictureStays onRetry={load} />}
    </>
  );
}

/** By hand, as what `lazy` loads is held back for a third of a second so that it does not flicker; here nothing does. */
function useServiceMap() {
  const [ServiceMap, setMap] = useState<ComponentType<ServiceMapProps>>();
  const [hasFailed, setFailed] = useState(false);
  const load = useCallback(() => {
    setFailed(false);
    import('./service-map.tsx').then(
      ({ default: loaded }) => setMap(() => loaded),
      () => setFailed(true),
    );
  }, []);
  return { ServiceMap, hasFailed, load };
}

/** Calls back once the element is in the window or just below it. */
function useNearness(element: RefObject<Element | null>, onNear: () => void): void {
  useEffect(() => {
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
  }, [element, onNear]);
}

/** A map script that does not load takes nothing from the page but the moving and the clicking. */
function PictureStays({ onRetry }: { onRetry: () => void }) {
  return (
    <div
      role="status"
      className="absolute inset-x-3 bottom-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-control bg-raised px-3 py-2 text-small shadow-lift"
    >
      The map can’t be moved right now. Everything else here works.
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}
