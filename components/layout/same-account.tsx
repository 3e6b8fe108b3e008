'use client';

import { useEffect } from 'react';

/**
 * Loads a new document if the browser has signed in to another account since: client-side navigation replaces the page, but
 * keeps the frame around it and the cards that were read.
 */
export function SameAccount({ customerId }: { customerId: number }) {
  useEffect(() => {
    const frame = document.querySelector<HTMLElement>('[data-customer]');
    if (frame?.dataset.customer !== String(customerId)) window.location.reload();
  }, [customerId]);
  return null;
}
