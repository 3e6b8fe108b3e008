'use client';

import { type ReactNode, useEffect, useRef } from 'react';

type EntriesShownProps = {
  /** Where another page of entries begins. */
  id: string;
  /** Which entries these are, for a screen reader. */
  name: string;
  /** The address of what is asked for. */
  address: string;
  children: ReactNode;
};

/** The entries of a page. A link to others may be gone when they come: the focus goes on to them. */
export function EntriesShown({ id, name, address, children }: EntriesShownProps) {
  const shown = useRef<HTMLDivElement>(null);
  const before = useRef(address);
  useEffect(() => {
    if (before.current === address) return;
    before.current = address;
    // Who searches stays in the form.
    if (!document.activeElement?.closest('form')) shown.current?.focus({ preventScroll: true });
  }, [address]);
  return (
    <section ref={shown} id={id} tabIndex={-1} aria-label={name} className="outline-none">
      {children}
    </section>
  );
}
