import { type ComponentType, useEffect, useState } from 'react';
import { keyOf, navItems } from './nav-items.ts';
import type { ShortcutListProps } from './shortcut-list.tsx';

/** How long the second key may take. */
const sequenceMs = 1_500;

/**
 * `g` and the first letter of a page opens it, and `?` lists the shortcuts. Screen readers keep letters to themselves
 * while they browse a page. The profile page turns shortcuts off, as WCAG 2.1.4 asks for.
 */
export function Shortcuts() {
  const [List, setList] = useState<ComponentType<ShortcutListProps>>();
  useEffect(() => {
    const showList = () =>
      import('./shortcut-list.tsx').then(
        ({ ShortcutList }) => setList(() => ShortcutList),
        () => undefined,
      );
    let startedAt = Number.NEGATIVE_INFINITY;
    const handleKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      const wasStarted = event.timeStamp - startedAt < sequenceMs;
      startedAt = event.key === 'g' && !wasStarted ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (event.key === '?') void showList();
      const item = wasStarted && navItems.find(({ title }) => keyOf(title) === event.key);
      // The link knows how its page is loaded.
      if (item) document.querySelector<HTMLElement>(`nav a[href="${item.path}"]`)?.click();
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, []);
  return List && <List onClose={() => setList(undefined)} />;
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
  const owner = 'input, select, textarea, [contenteditable], .map';
  return (
    document.querySelector('dialog[open]') !== null ||
    (target instanceof Element && target.closest(owner) !== null)
  );
}
