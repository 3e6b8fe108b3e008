import type { SearchResult } from '#src/docs/search.ts';
import { classNames } from '../ui/class-names.ts';
import { DocsLink } from './docs-link.tsx';

export { searchDocs } from '#src/docs/search.ts';

type SearchResultsProps = {
  /** Before the position of each option's ID. */
  idPrefix: string;
  results: SearchResult[];
  active: number;
  onSelect: () => void;
};

/** Loaded with the index, not with the page. */
export function SearchResults({ idPrefix, results, active, onSelect }: SearchResultsProps) {
  return results.map(({ page, section, url, excerpt }, position) => (
    <DocsLink
      key={url}
      id={`${idPrefix}-${position}`}
      role="option"
      aria-selected={position === active}
      tabIndex={-1}
      href={url}
      prefetch={false}
      onClick={onSelect}
      className={classNames(
        'block rounded-control px-3 py-2 hover:bg-sunken',
        position === active && 'bg-sunken',
      )}
    >
      <span className="block font-medium">{section ? `${page}: ${section}` : page}</span>
      <span className="block truncate text-small text-muted">{excerpt}</span>
    </DocsLink>
  ));
}

export function countText(count: number): string {
  if (count === 0) return 'No results';
  return count === 1 ? '1 result' : `${count} results`;
}
