'use client';

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
import { Button } from '../ui/button.tsx';
import type { ServiceMapProps } from './service-map.tsx';

type AreaMapProps = Omit<ServiceMapProps, 'onReady'> & {
  /** The drawn picture: shown until the interactive map is there, and for good where it cannot be. */
  children: ReactNode;
  /** The map is what one sees first of its page, so nothing is waited for. */
  isAtOnce?: boolean;
};

/**
 * The interactive map over its drawn picture, so that nothing jumps. The parent gives it a height. Its script is loaded when
 * one comes near it: far down a phone's page, most never do.
 */
export function AreaMap({ children, isAtOnce = false, ...map }: AreaMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  const { ServiceMap, hasFailed, load, fail } = useServiceMap(isAtOnce);
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
      {ServiceMap && !hasFailed && (
        <FaultBoundary onFault={handleFault}>
          <ServiceMap {...map} onReady={() => setReady(true)} />
        </FaultBoundary>
      )}
      {hasFailed && <PictureStays onRetry={retry} />}
    </div>
  );
}

const importMap = () => import('./service-map.tsx');

/** By hand, as what `lazy` loads is held back for a third of a second so that it does not flicker; here nothing does. */
function useServiceMap(isAtOnce: boolean) {
  // Asked for with the first rendering, the script comes while the page is made interactive, not after.
  useState(() => isAtOnce && typeof window !== 'undefined' && importMap().catch(() => undefined));
  const [ServiceMap, setMap] = useState<ComponentType<ServiceMapProps>>();
  const [hasFailed, setFailed] = useState(false);
  const fail = useCallback(() => setFailed(true), []);
  const load = useCallback(() => {
    setFailed(false);
    importMap().then(({ default: loaded }) => setMap(() => loaded), fail);
  }, [fail]);
  return { ServiceMap, hasFailed, load, fail };
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

/** A map that does not load or draw takes nothing from the page but the moving and the clicking. */
function PictureStays({ onRetry }: { onRetry: () => void }) {
  return (
    <div
      role="status"
      className="absolute inset-x-3 bottom-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-control bg-raised px-3 py-2 text-small shadow-lift"
    >
      The map can’t be moved right now.
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}
