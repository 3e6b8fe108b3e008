import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { keyOf, navItems } from './nav-items.ts';

export type ShortcutListProps = { onClose: () => void };

/** Loaded when it is opened. */
export function ShortcutList({ onClose }: ShortcutListProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
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
