'use client';

import Link, { useLinkStatus } from 'next/link';
import { usePathname } from 'next/navigation';
import type { ComponentProps, MouseEvent } from 'react';
import { Pending } from './pending.tsx';

type PageLinkProps = ComponentProps<typeof Link>;

/** A link to a page, or to another part of one, that tells while it is on its way. */
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

/** A page among others, marked where it is the one that is read. */
export function PlaceLink({ href, ...rest }: Omit<PageLinkProps, 'href'> & { href: string }) {
  const isCurrent = usePathname() === href;
  return <PageLink {...rest} href={href} aria-current={isCurrent ? 'page' : undefined} onClick={foldAway} />;
}

/** The frame stays from page to page, and with it an open list that would hide the page that was chosen. */
function foldAway(event: MouseEvent<HTMLElement>): void {
  event.currentTarget.closest('details')?.removeAttribute('open');
}
