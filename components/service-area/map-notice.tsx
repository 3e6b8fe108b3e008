import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';

/** What the map lacks, over its lower edge, and the way to have it. */
export function MapNotice({ children, onRetry }: { children: ReactNode; onRetry: () => void }) {
  return (
    <div
      role="status"
      className="absolute inset-x-3 bottom-3 z-[1000] flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-control bg-raised px-3 py-2 text-small shadow-lift"
    >
      {children}
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}
