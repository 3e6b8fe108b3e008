'use client';

import { type KeyboardEvent, type ReactNode, useId, useSyncExternalStore } from 'react';
import { classNames } from '../ui/class-names.ts';

const storageKey = 'docsLanguage';
const listeners = new Set<() => void>();
let chosen: string | null | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The title of the last chosen tab, on any page and in earlier visits. */
function chosenTitle(): string | null {
  if (chosen === undefined) {
    try {
      chosen = localStorage.getItem(storageKey);
    } catch {
      chosen = null;
    }
  }
  return chosen;
}

function choose(title: string): void {
  chosen = title;
  try {
    localStorage.setItem(storageKey, title);
  } catch {
    // Storage can be blocked. The choice then lasts until the page is left.
  }
  for (const listener of listeners) listener();
}

type CodeTabsProps = { titles: string[]; children: ReactNode[] };

/** Code in several languages. Without JavaScript, all of it is shown. */
export function CodeTabs({ titles, children }: CodeTabsProps) {
  const id = useId();
  const title = useSyncExternalStore(subscribe, chosenTitle, () => null);
  const selected = Math.max(0, titles.indexOf(title ?? ''));
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    // Alt and an arrow goes back in the browser's history.
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = titles.length - 1;
    const next = {
      ArrowRight: selected === last ? 0 : selected + 1,
      ArrowLeft: selected === 0 ? last : selected - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(titles[next] ?? '');
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };
  return (
    <div className="my-4">
      <div
        role="tablist"
        aria-label="Language"
        onKeyDown={move}
        className="mb-2 flex flex-wrap gap-x-1 border-b border-line noscript:hidden"
      >
        {titles.map((name, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === selected}
            aria-controls={`${id}-panel-${index}`}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => choose(name)}
            className={classNames(
              'hit -mb-px border-b-2 px-3 font-medium',
              index === selected ? 'border-accent text-ink' : 'border-transparent text-muted hover:text-ink',
            )}
          >
            {name}
          </button>
        ))}
      </div>
      {titles.map((name, index) => (
        <div
          key={name}
          role="tabpanel"
          id={`${id}-panel-${index}`}
          aria-labelledby={`${id}-tab-${index}`}
          className={classNames('noscript:mt-4', index !== selected && 'hidden noscript:block')}
        >
          {children[index]}
        </div>
      ))}
    </div>
  );
}
