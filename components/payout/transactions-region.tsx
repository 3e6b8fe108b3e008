'use client';

import { type ReactNode, useEffect, useRef } from 'react';

type TransactionsRegionProps = { id: string; label: string; url: string; children: ReactNode };

/** Takes the focus when the pager's link that had it may be gone. */
export function TransactionsRegion({ id, label, url, children }: TransactionsRegionProps) {
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
