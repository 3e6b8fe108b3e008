'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';

type PagedRegionProps = { id: string; label: string; url: string; children: ReactNode };

/**
 * Takes the focus when the pager's link that had it may be gone, and is announced when a form keeps the focus. A page that is
 * loaded as a whole moves the focus to the fragment of its URL, so the pager's links name `id`.
 */
export function PagedRegion({ id, label, url, children }: PagedRegionProps) {
  const region = useRef<HTMLDivElement>(null);
  const previousUrl = useRef(url);
  const [announcedUrl, setAnnouncedUrl] = useState<string>();
  useEffect(() => {
    if (previousUrl.current === url) return;
    previousUrl.current = url;
    if (document.activeElement?.closest('form')) setAnnouncedUrl(url);
    else region.current?.focus({ preventScroll: true });
  }, [url]);
  return (
    <>
      <p role="status" className="sr-only">
        {announcedUrl === url && <span key={url}>{label}</span>}
      </p>
      <section ref={region} id={id} tabIndex={-1} aria-label={label} className="outline-none">
        {children}
      </section>
    </>
  );
}
