import type { ReactNode } from 'react';
import { Mark } from './logo.tsx';

/** A page outside the frame that says one thing. */
export function LonePage({ children }: { children: ReactNode }) {
  return (
    <main className="mx-auto grid min-h-dvh max-w-md content-center gap-7 px-4 py-10">
      <Mark className="size-9" />
      <div className="grid justify-items-start gap-3">{children}</div>
    </main>
  );
}
