'use client';

import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { SearchEntry } from '#src/docs/search.ts';
import { classNames } from '../ui/class-names.ts';

type Search = typeof import('./search-results.tsx') & { entries: SearchEntry[] };

let loading: Promise<Search | null> | undefined;

/** Once per visit. After a failure, the next use tries again. */
function loadSearch(): Promise<Search | null> {
  loading ??= Promise.all([fetchIndex(), import('./search-results.tsx')])
    .then(([entries, parts]) => ({ ...parts, entries }))
    .catch(() => {
      loading = undefined;
      return null;
    });
  return loading;
}

async function fetchIndex(): Promise<SearchEntry[]> {
  const response = await fetch('/docs/search.json');
  if (!response.ok) throw new Error('No index.');
  return response.json();
}

const popupClass =
  'absolute inset-x-0 top-full z-10 mt-1 rounded-panel border border-line bg-raised shadow-lift sm:left-auto sm:w-96';

/**
 * Opens with `/`, unless the reader has turned shortcuts off, or with Ctrl-K. Without JavaScript, and for Enter without a
 * selection, the server searches.
 */
export function SearchBox({ hasShortcuts }: { hasShortcuts: boolean }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [search, setSearch] = useState<Search | null>(null);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(-1);
  const results = search?.searchDocs(search.entries, query) ?? [];
  const found = query.trim() ? search?.countText(results.length) : undefined;
  const hasNone = found !== undefined && results.length === 0;
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
          onFocus={() => void loadSearch().then(setSearch)}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setActive(-1);
          }}
          onKeyDown={move}
          className="control"
        />
        <div
          id={`${id}-results`}
          role="listbox"
          aria-label="Search results"
          className={classNames(popupClass, 'max-h-[min(32rem,70vh)] overflow-y-auto p-1 empty:hidden')}
        >
          {search && (
            <search.SearchResults idPrefix={id} results={results} active={active} onSelect={close} />
          )}
        </div>
        <p role="status" className={hasNone ? classNames(popupClass, 'px-4 py-3') : 'sr-only'}>
          {found}
        </p>
      </form>
    </search>
  );
}
