import type { ReactNode } from 'react';
import { Logo } from './logo.tsx';

/** A short message outside the dashboard. */
export function StandalonePage({ children }: { children: ReactNode }) {
  return (
    <main className="mx-auto grid min-h-dvh max-w-md content-center gap-7 px-4 py-10">
      <Logo className="size-9" />
      <div className="grid justify-items-start gap-3">{children}</div>
    </main>
  );
}
