'use client';

import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { ContactSupport } from '../ui/support-contact.tsx';

/** @param digest identifies the error in the server's log; undefined when the browser failed */
export function PageError({ digest, retry }: { digest: string | undefined; retry: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="grid max-w-md justify-items-start gap-3">
      <h1
        ref={heading}
        tabIndex={-1}
        className="text-page font-semibold tracking-tight text-balance outline-none"
      >
        This page could not be loaded
      </h1>
      <p className="text-muted">
        {digest
          ? 'The fault is on our side. Your cards, your balance and your keys are safe; nothing was changed.'
          : 'A part of it did not arrive, or failed in the browser. Your cards, your balance and your keys are safe.'}
      </p>
      <Button variant="primary" onClick={retry} className="mt-3">
        Try again
      </Button>
      {digest && (
        <p className="text-small text-muted">
          <ContactSupport id={digest} />
        </p>
      )}
    </div>
  );
}

export function digestOf(error: unknown): string | undefined {
  return error instanceof Error && 'digest' in error && typeof error.digest === 'string'
    ? error.digest
    : undefined;
}
