'use client';

import { useEffect, useSyncExternalStore } from 'react';

type Toast = { id: number; message: string };

const shownMs = 6_000;
const listeners = new Set<() => void>();
let current: Toast | undefined;
let lastId = 0;

function change(next: Toast | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Confirms something that worked, in place of what was confirmed before. Nothing that must not be missed belongs here. */
export function toast(message: string): void {
  lastId += 1;
  change({ id: lastId, message });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The region is there before the first message, or screen readers would not announce it. */
export function Toaster() {
  const shown = useSyncExternalStore(
    subscribe,
    () => current,
    () => undefined,
  );
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-22 z-50 grid justify-items-center desk:bottom-6 print:hidden"
    >
      {shown && <ToastLine key={shown.id} message={shown.message} />}
    </div>
  );
}

function ToastLine({ message }: Pick<Toast, 'message'>) {
  useEffect(() => {
    const timer = setTimeout(() => change(undefined), shownMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="appear rounded-control bg-ink px-4 py-3 text-center font-medium text-surface shadow-lift">
      {message}
    </p>
  );
}
