'use client';

import Link, { useLinkStatus } from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';

/** One of the five places; tells the frame while the page behind it is on its way. */
export function NavLink({ href, children }: { href: string; children: ReactNode }) {
  const isCurrent = usePathname() === href;
  return (
    <Link
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      className="hit group flex flex-col items-center justify-start gap-0.5 px-0.5 desk:rounded-control py-2 text-center text-small leading-4 whitespace-nowrap text-muted hover:text-ink aria-[current=page]:text-ink max-desk:font-medium max-desk:aria-[current=page]:shadow-[inset_0_2px_var(--ink)] desk:flex-row desk:gap-3 desk:px-3 desk:text-left desk:text-body desk:hover:bg-sunken desk:aria-[current=page]:font-semibold desk:aria-[current=page]:bg-sunken"
    >
      {children}
      <Pending />
    </Link>
  );
}

function Pending() {
  const { pending } = useLinkStatus();
  return pending ? <span data-page-pending="" hidden /> : null;
}
