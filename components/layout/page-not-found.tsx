'use client';

import { buttonClass } from '../ui/button.tsx';
import { StandalonePage } from './standalone-page.tsx';

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
