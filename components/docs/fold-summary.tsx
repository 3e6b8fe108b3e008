import type { ReactNode } from 'react';

/** What is seen of a folded part: a `details` of class `group` turns its mark. */
export function FoldSummary({ children }: { children: ReactNode }) {
  return (
    <summary className="hit flex items-center gap-2 px-4 font-medium">
      <span aria-hidden="true" className="inline-block group-open:rotate-90">
        ▸
      </span>
      {children}
    </summary>
  );
}
