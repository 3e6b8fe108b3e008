import type { Metadata } from 'next';
import { PageLink } from '#components/ui/page-link.tsx';
import { PageHeader } from '#components/ui/panel.tsx';

export const metadata: Metadata = { title: 'Page not found', robots: { index: false } };

/** Within the reference, whose pages are listed around it. */
export default function DocsNotFound() {
  return (
    <PageHeader title="The reference has no page at this address">
      The link may be old, or a letter may be missing from it. Look for it among all pages, or{' '}
      <PageLink href="/docs" className="link">
        begin with a first call
      </PageLink>
      .
    </PageHeader>
  );
}
