import type { Metadata } from 'next';
import { DocsLink } from '#components/docs/docs-link.tsx';
import { PageHeader } from '#components/ui/panel.tsx';
import { services } from '#src/api/services.ts';
import { searchDocs } from '#src/docs/search.ts';
import { searchIndex } from '#src/docs/search-index.ts';

export const metadata: Metadata = { title: 'Search, API docs', robots: { index: false } };

/** The results without JavaScript, and for a query that is submitted. */
export default async function SearchPage({ searchParams }: PageProps<'/docs/search'>) {
  const query = [(await searchParams).q ?? ''].flat().join(' ').trim().slice(0, 200);
  const results = searchDocs(searchIndex(services().settings), query);
  return (
    <>
      <PageHeader title="Search">
        {query ? `${results.length === 0 ? 'No results' : 'Results'} for “${query}”` : 'Enter a search term.'}
      </PageHeader>
      <ul className="grid gap-5">
        {results.map(({ page, section, url, excerpt }) => (
          <li key={url}>
            <DocsLink href={url} className="link text-lead font-medium">
              {section ? `${page}: ${section}` : page}
            </DocsLink>
            <p className="max-w-[43.5rem] text-muted">{excerpt}</p>
          </li>
        ))}
      </ul>
    </>
  );
}
