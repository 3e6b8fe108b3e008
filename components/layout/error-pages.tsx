import { type ReactNode, useEffect, useRef } from 'react';
import { Button, buttonClass } from '../ui/button.tsx';
import { ContactSupport } from '../ui/support-contact.tsx';
import { Logo } from './logo.tsx';

type PageErrorProps = { error: unknown };

export function PageError({ error }: PageErrorProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const id = digestOf(error);
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
        {id
          ? 'Something went wrong on our side. Your cards, balance, and keys are safe.'
          : 'Something went wrong in your browser. Your cards, balance, and keys are safe.'}
      </p>
      {/* Not Next's retry, which could continue with the sign-in form in the document of the card form. */}
      <Button variant="primary" onClick={() => window.location.reload()} className="mt-3">
        Try again
      </Button>
      {id && (
        <p className="text-small text-muted">
          <ContactSupport id={id} />
        </p>
      )}
    </div>
  );
}

/** @returns what identifies the error in the server's log; undefined when the browser failed */
function digestOf(error: unknown): string | undefined {
  return error instanceof Error && 'digest' in error && typeof error.digest === 'string'
    ? error.digest
    : undefined;
}

export function StandaloneError(props: PageErrorProps) {
  return (
    <StandalonePage>
      <PageError {...props} />
    </StandalonePage>
  );
}

/** A client component, because Next.js sends its markup with every page. */
export function PageNotFound() {
  return (
    <StandalonePage>
      <h1 className="text-page font-semibold tracking-tight text-balance">Page not found</h1>
      <p className="text-muted">The link may be outdated or mistyped.</p>
      <div className="mt-3 flex flex-wrap items-center gap-x-5 gap-y-2">
        <a href="/" className={buttonClass('primary')}>
          Go to overview
        </a>
        <a href="/docs" className="link hit inline-flex items-center">
          Read the API reference
        </a>
      </div>
    </StandalonePage>
  );
}

/** A short message outside the dashboard. */
function StandalonePage({ children }: { children: ReactNode }) {
  return (
    <main className="mx-auto grid min-h-dvh max-w-md content-center gap-7 px-4 py-10">
      <Logo className="size-9" />
      <div className="grid justify-items-start gap-3">{children}</div>
    </main>
  );
}
