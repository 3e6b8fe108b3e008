'use client';

import dynamic from 'next/dynamic';
import { Component, type ReactNode, useState } from 'react';
import type { ServiceMapProps } from './service-map.tsx';

const ServiceMap = dynamic(() => import('./service-map.tsx'), { ssr: false });

type AreaMapProps = Omit<ServiceMapProps, 'onReady'> & {
  /** The drawn picture: shown until the interactive map is there, and for good where it cannot be. */
  children: ReactNode;
};

/** The interactive map over its drawn picture, so that nothing jumps. The parent gives it a height. */
export function AreaMap({ children, ...map }: AreaMapProps) {
  const [isReady, setReady] = useState(false);
  return (
    <>
      <div className={isReady ? 'invisible' : ''}>{children}</div>
      <PictureStays>
        <ServiceMap {...map} onReady={() => setReady(true)} />
      </PictureStays>
    </>
  );
}

/** A map script that does not load takes nothing from the page but the moving and the clicking. */
class PictureStays extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <p
        role="status"
        className="absolute inset-x-3 bottom-3 rounded-control bg-raised px-3 py-2 text-small shadow-lift"
      >
        The map can’t be moved right now, because a part of it didn’t load. Reload the page to try again;
        everything else here works.
      </p>
    );
  }
}
