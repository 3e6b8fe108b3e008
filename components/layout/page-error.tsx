'use client';

import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { ContactSupport } from '../ui/support-contact.tsx';
import { StandalonePage } from './standalone-page.tsx';

type PageErrorProps = {
  /** Identifies the error in the server's log; undefined when the browser failed. */
  digest: string | undefined;
  retry: () => void;
};

export function PageError({ digest, retry }: PageErrorProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="grid max-w-md justify-items-start gap-3">
      <h1
        ref={heading}
        tabIndex={-1}
        className="text-page font-semibold tracking-tight text-balance outline-none"
      >
        This page didn’t load
      </h1>
      <p className="text-muted">
        {digest
          ? 'Something went wrong on our side. Your cards, balance, and keys are safe.'
          : 'Something went wrong in your browser. Your cards, balance, and keys are safe.'}
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

export function StandaloneError(props: PageErrorProps) {
  return (
    <StandalonePage>
      <PageError {...props} />
    </StandalonePage>
  );
}

export function digestOf(error: unknown): string | undefined {
  return error instanceof Error && 'digest' in error && typeof error.digest === 'string'
    ? error.digest
    : undefined;
}
