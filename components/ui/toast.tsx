import { useEffect, useSyncExternalStore } from 'react';

type Toast = { id: number; message: string };

const durationMs = 6_000;
const listeners = new Set<() => void>();
let current: Toast | undefined;
let lastId = 0;

function change(next: Toast | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Shows a message for a few seconds, and replaces the previous one. */
export function toast(message: string): void {
  lastId += 1;
  change({ id: lastId, message });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Rendered before its first message, or screen readers would not announce it. */
export function Toaster() {
  const toastShown = useSyncExternalStore(
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
      {toastShown && <ToastMessage key={toastShown.id} message={toastShown.message} />}
    </div>
  );
}

function ToastMessage({ message }: Pick<Toast, 'message'>) {
  useEffect(() => {
    const timer = setTimeout(() => change(undefined), durationMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="appear rounded-control bg-ink px-4 py-3 text-center font-medium text-surface shadow-lift">
      {message}
    </p>
  );
}
