'use client';

import { type ComponentType, useCallback, useRef, useState } from 'react';
import { RetryButton } from '../ui/button.tsx';
import { useNearViewport } from '../ui/use-near-viewport.ts';
import type { ConsoleProps } from './console-form.tsx';

/** Far down its page, so its script loads when it comes near the viewport. */
export function Console(props: ConsoleProps) {
  const box = useRef<HTMLDivElement>(null);
  const [ConsoleForm, setConsoleForm] = useState<ComponentType<ConsoleProps>>();
  const [hasFailed, setFailed] = useState(false);
  const load = useCallback(() => {
    setFailed(false);
    import('./console-form.tsx').then(
      (loaded) => setConsoleForm(() => loaded.ConsoleForm),
      () => setFailed(true),
    );
  }, []);
  useNearViewport(box, load, { marginPixels: 800 });
  return (
    <div
      ref={box}
      tabIndex={-1}
      className="my-4 rounded-panel border border-line bg-raised p-4 outline-none sm:p-6"
    >
      <noscript>The console requires JavaScript. The code samples above send the same request.</noscript>
      {ConsoleForm && <ConsoleForm {...props} />}
      {hasFailed && (
        <div role="alert" className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          The console didn’t load.
          <RetryButton onRetry={load} />
        </div>
      )}
      {!ConsoleForm && !hasFailed && <div className="h-64 noscript:hidden" />}
    </div>
  );
}
