'use client';

import dynamic from 'next/dynamic';
import { Component, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import type { ServiceMapProps } from './service-map.tsx';

const newMap = () => dynamic(() => import('./service-map.tsx'), { ssr: false });

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
  const isNear = useNearness(picture);
  const [isReady, setReady] = useState(false);
  // A component that failed to load stays failed, so trying again takes a new one.
  const [{ ServiceMap, turn }, setTry] = useState(() => ({ ServiceMap: newMap(), turn: 0 }));
  const tryAgain = () => setTry({ ServiceMap: newMap(), turn: turn + 1 });
  return (
    <>
      <div ref={picture} className={isReady ? 'invisible' : ''}>
        {children}
      </div>
      {isNear && (
        <PictureStays key={turn} onRetry={tryAgain}>
          <ServiceMap {...map} onReady={() => setReady(true)} />
        </PictureStays>
      )}
    </>
  );
}

/** @returns whether the element is, or was, in the window or just below it */
function useNearness(element: RefObject<Element | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(
      (seen) => {
        if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
        setNear(true);
        observer.disconnect();
      },
      { rootMargin: '0px 0px 200px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isNear;
}

/** A map script that does not load takes nothing from the page but the moving and the clicking. */
class PictureStays extends Component<{ children: ReactNode; onRetry: () => void }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div
        role="status"
        className="absolute inset-x-3 bottom-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-control bg-raised px-3 py-2 text-small shadow-lift"
      >
        The map can’t be moved right now. Everything else here works.
        <Button onClick={this.props.onRetry}>Try again</Button>
      </div>
    );
  }
}
