import type { Metadata } from 'next';
import { PageLink } from '#components/ui/page-link.tsx';

export const metadata: Metadata = { title: 'Page not found', robots: { index: false } };

/** Beside the list of the pages there are. */
export default function DocsNotFound() {
  return (
    <div className="grid max-w-prose gap-3">
      <h1 className="text-page font-semibold tracking-tight text-balance">
        The reference has no page at this address
      </h1>
      <p>
        The link may be old, or a letter may be missing from it. Look among the pages listed here, or{' '}
        <PageLink href="/docs" className="link">
          begin with a first call
        </PageLink>
        .
      </p>
    </div>
  );
}
