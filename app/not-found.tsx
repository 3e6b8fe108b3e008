import type { Metadata } from 'next';
import { StandalonePage } from '#components/layout/standalone-page.tsx';
import { buttonClass } from '#components/ui/button.tsx';

export const metadata: Metadata = { title: 'Page not found', robots: { index: false } };

export default function NotFound() {
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
