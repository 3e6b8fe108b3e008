'use client';

import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { navItems } from './nav-items.ts';

const keyOf = (title: string) => title[0]?.toLowerCase() ?? '';
/** How long the second key may take. */
const sequenceMs = 1_500;

/**
 * `g` and the first letter of a page opens it, and `?` lists the shortcuts. Screen readers keep letters to themselves
 * while they browse a page. The profile page turns shortcuts off, as WCAG 2.1.4 asks for.
 */
export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    let startedAt = Number.NEGATIVE_INFINITY;
    const handleKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      const wasStarted = event.timeStamp - startedAt < sequenceMs;
      startedAt = event.key === 'g' && !wasStarted ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (event.key === '?') dialog.current?.showModal();
      const item = wasStarted && navItems.find(({ title }) => keyOf(title) === event.key);
      // The link knows how its page is loaded.
      if (item) document.querySelector<HTMLElement>(`nav a[href="${item.path}"]`)?.click();
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="shortcuts"
      className="m-auto w-[min(24rem,calc(100vw-2rem))] rounded-panel border border-line bg-raised p-4 text-ink sm:p-6 shadow-lift open:appear"
    >
      <h2 id="shortcuts" className="text-lead font-semibold">
        Keyboard shortcuts
      </h2>
      <dl className="my-4 divide-y divide-line">
        {[
          ...navItems.map(({ title }) => ({ title, keys: `g ${keyOf(title)}` })),
          { title: 'Show this list', keys: '?' },
        ].map(({ title, keys }) => (
          <div key={keys} className="flex justify-between py-2">
            <dt>{title}</dt>
            <dd>
              <kbd className="font-mono">{keys}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <p className="mb-4 text-muted">You can turn shortcuts off on your profile page.</p>
      <form method="dialog">
        <Button type="submit">Close</Button>
      </form>
    </dialog>
  );
}

/** Whether the key belongs to a field, a dialog, the map, or the browser. */
function isTyping({
  target,
  ctrlKey,
  metaKey,
  altKey,
  repeat,
  isComposing,
  defaultPrevented,
}: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || repeat || isComposing || defaultPrevented) return true;
  const owner = 'input, select, textarea, [contenteditable], dialog, .map, iframe';
  return (
    document.querySelector('dialog[open]') !== null ||
    (target instanceof Element && target.closest(owner) !== null)
  );
}
