import type { Metadata } from 'next';
import { DocsLink } from '#components/docs/docs-link.tsx';
import { PageHeader } from '#components/ui/panel.tsx';

export const metadata: Metadata = { title: 'Page not found', robots: { index: false } };

/** Shown inside the API docs layout, next to the list of pages. */
export default function DocsNotFound() {
  return (
    <PageHeader title="Page not found">
      The link may be outdated or mistyped. Choose a page from the list, or see the{' '}
      <DocsLink href="/docs" className="link">
        quickstart
      </DocsLink>
      .
    </PageHeader>
  );
}
