import type { Metadata } from 'next';
import { services } from '#src/api/services.ts';
import { type DocsPage, docsPath } from '#src/docs/page.ts';

/** The page's own URL, that of its Markdown version, and the feed of the changelog. */
export function alternatesOf({ slug }: DocsPage): Metadata['alternates'] {
  const { publicUrl } = services().settings;
  const url = publicUrl + docsPath(slug);
  const feed = `${publicUrl}/docs/changelog.atom`;
  return { canonical: url, types: { 'text/markdown': `${url}.md`, 'application/atom+xml': feed } };
}
