'use client';

import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { classNames } from '../ui/class-names.ts';
import { controlClass } from '../ui/field.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { type SearchEntry, searchDocs } from './search.ts';

let index: Promise<SearchEntry[]> | undefined;

/** Loaded once per visit. After a failure, the next use tries again. */
function loadIndex(): Promise<SearchEntry[]> {
  index ??= fetch('/docs/search.json')
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error('No index.'))))
    .catch(() => {
      index = undefined;
      return [];
    });
  return index;
}

const popupClass =
  'absolute inset-x-0 top-full z-10 mt-1 rounded-panel border border-line bg-raised shadow-lift sm:left-auto sm:w-96';

function countText(count: number): string {
  if (count === 0) return 'No results';
  return count === 1 ? '1 result' : `${count} results`;
}

/**
 * Opens with `/`, unless the reader has turned shortcuts off, or with Ctrl-K. Without JavaScript, and for Enter without a
 * selection, the server searches.
 */
export function SearchBox({ hasShortcuts }: { hasShortcuts: boolean }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [entries, setEntries] = useState<SearchEntry[]>([]);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(-1);
  const results = searchDocs(entries, query);
  const hasNone = query.trim() !== '' && entries.length > 0 && results.length === 0;
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
      const isSlash = hasShortcuts && event.key === '/' && !isTyping && !hasModifier;
      const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      if (!isSlash && !isShortcut) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, [hasShortcuts]);
  const close = () => {
    setQuery('');
    setActive(-1);
  };
  const closeOutside = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (!currentTarget.contains(relatedTarget)) close();
  };
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && results.length > 0) {
      event.preventDefault();
      // Without a selection, ArrowUp starts at the last result.
      const from = active < 0 && step < 0 ? 0 : active;
      const next = (from + step + results.length) % results.length;
      setActive(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    }
    if (event.key === 'Enter' && active >= 0) {
      event.preventDefault();
      document.getElementById(`${id}-${active}`)?.click();
    }
  };
  return (
    <search className="relative w-full min-w-0 sm:w-64" onBlur={closeOutside}>
      <form action="/docs/search">
        <input
          ref={input}
          type="search"
          name="q"
          role="combobox"
          aria-label="Search the docs"
          aria-keyshortcuts={`${hasShortcuts ? '/ ' : ''}Control+K Meta+K`}
          aria-expanded={results.length > 0}
          aria-controls={`${id}-results`}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          placeholder="Search"
          autoComplete="off"
          value={query}
          onFocus={() => void loadIndex().then(setEntries)}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setActive(-1);
          }}
          onKeyDown={move}
          className={controlClass}
        />
        <div
          id={`${id}-results`}
          role="listbox"
          aria-label="Search results"
          className={classNames(popupClass, 'max-h-[min(32rem,70vh)] overflow-y-auto p-1 empty:hidden')}
        >
          {results.map(({ page, section, url, excerpt }, position) => (
            <PageLink
              key={url}
              id={`${id}-${position}`}
              role="option"
              aria-selected={position === active}
              tabIndex={-1}
              href={url}
              prefetch={false}
              onClick={close}
              className={classNames(
                'block rounded-control px-3 py-2 hover:bg-sunken',
                position === active && 'bg-sunken',
              )}
            >
              <span className="block font-medium">{section ? `${page}: ${section}` : page}</span>
              <span className="block truncate text-small text-muted">{excerpt}</span>
            </PageLink>
          ))}
        </div>
        <p role="status" className={hasNone ? classNames(popupClass, 'px-4 py-3') : 'sr-only'}>
          {query.trim() && entries.length > 0 && countText(results.length)}
        </p>
      </form>
    </search>
  );
}
