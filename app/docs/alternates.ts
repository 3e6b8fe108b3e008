import type { Metadata } from 'next';
import { type DocsPage, docsPath } from '#components/docs/page.ts';
import { services } from '#src/api/services.ts';

/** The page's own URL and that of its Markdown version. */
export function alternatesOf({ slug }: DocsPage): Metadata['alternates'] {
  const url = services().settings.publicUrl + docsPath(slug);
  return { canonical: url, types: { 'text/markdown': `${url}.md` } };
}
