import type { ReactNode } from 'react';
import { RetryButton } from '../ui/button.tsx';

type MapNoticeProps = { isShown: boolean; onRetry: () => void; children: ReactNode };

/** Tells what the map lacks, over its lower edge, with a button to try again. */
export function MapNotice({ isShown, onRetry, children }: MapNoticeProps) {
  return (
    <div role="status" className="absolute inset-x-3 bottom-3 z-[1000]">
      {isShown && (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-control border border-line-firm bg-raised px-3 py-2 text-small shadow-lift">
          {children}
          <RetryButton onRetry={onRetry} />
        </div>
      )}
    </div>
  );
}
