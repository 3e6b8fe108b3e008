import type { Metadata } from 'next';
import { Mark } from '#components/frame/mark.tsx';
import { buttonClass } from '#components/ui/button.tsx';

export const metadata: Metadata = { title: 'Page not found', robots: { index: false } };

export default function NotFound() {
  return (
    <main className="mx-auto grid min-h-dvh max-w-md content-center justify-items-start gap-3 px-4 py-10">
      <Mark className="size-9" />
      <h1 className="mt-4 text-page font-semibold tracking-tight">There is no page at this address</h1>
      <p className="text-muted">The link may be old, or a letter may be missing from it.</p>
      <a href="/" className={buttonClass('main', 'mt-3')}>
        Go to the overview
      </a>
    </main>
  );
}
