'use client';

import { type ReactNode, useEffect, useRef } from 'react';

type PagedRegionProps = { id?: string; label: string; url: string; children: ReactNode };

/** Takes the focus when the pager's link that had it may be gone. */
export function PagedRegion({ id, label, url, children }: PagedRegionProps) {
  const region = useRef<HTMLDivElement>(null);
  const previousUrl = useRef(url);
  useEffect(() => {
    if (previousUrl.current === url) return;
    previousUrl.current = url;
    const isInFilter = document.activeElement?.closest('form');
    if (!isInFilter) region.current?.focus({ preventScroll: true });
  }, [url]);
  return (
    <section ref={region} id={id} tabIndex={-1} aria-label={label} className="outline-none">
      {children}
    </section>
  );
}
