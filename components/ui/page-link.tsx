'use client';

import Link, { useLinkStatus } from 'next/link';
import { usePathname } from 'next/navigation';
import type { ComponentProps, MouseEvent } from 'react';
import { Pending } from './pending.tsx';

type PageLinkProps = ComponentProps<typeof Link>;

/** Announces that the page is loading. */
export function PageLink({ children, ...rest }: PageLinkProps) {
  return (
    <Link {...rest}>
      {children}
      <LinkPending />
    </Link>
  );
}

function LinkPending() {
  return <Pending isPending={useLinkStatus().pending} />;
}

/** A link in a navigation, marked when its page is current. */
export function NavLink({ href, ...rest }: Omit<PageLinkProps, 'href'> & { href: string }) {
  const isCurrent = usePathname() === href;
  return <PageLink {...rest} href={href} aria-current={isCurrent ? 'page' : undefined} onClick={closeMenu} />;
}

/** The layout persists across pages, and with it an open menu that would cover the new page. */
function closeMenu(event: MouseEvent<HTMLElement>): void {
  event.currentTarget.closest('details')?.removeAttribute('open');
}
