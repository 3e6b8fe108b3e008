import type { ReactNode } from 'react';
import { DisclosureIcon } from '../ui/icons.tsx';

/** The visible part of a `details` element, which needs the class `group`. */
export function FoldSummary({ children }: { children: ReactNode }) {
  return (
    <summary className="hit flex items-center gap-2 px-4 font-medium">
      <DisclosureIcon />
      {children}
    </summary>
  );
}
