'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { MouseEvent } from 'react';

/** A page of the reference among the others, marked where it is the one that is read. */
export function PageLink({ href, title }: { href: string; title: string }) {
  const isCurrent = usePathname() === href;
  return (
    <Link
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={foldAway}
      className="hit flex items-center rounded-control hover:underline aria-[current=page]:font-semibold desk:min-h-8"
    >
      {title}
    </Link>
  );
}

/** The frame stays from page to page, and with it the open list that would hide the page that was chosen. */
function foldAway(event: MouseEvent<HTMLElement>): void {
  event.currentTarget.closest('details')?.removeAttribute('open');
}
