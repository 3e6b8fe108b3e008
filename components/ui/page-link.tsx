'use client';

import Link, { useLinkStatus } from 'next/link';
import { usePathname } from 'next/navigation';
import type { ComponentProps, MouseEvent } from 'react';
import { cardFormPath } from '../layout/card-form-path.ts';
import { Pending } from './pending.tsx';

type PageLinkProps = ComponentProps<typeof Link> & { href: string };

/** Announces that the page is loading. To and from the page with the card form, it loads a new document. */
export function PageLink({ children, scroll, prefetch, ...rest }: PageLinkProps) {
  const target = rest.href.split(/[?#]/, 1)[0] ?? '';
  if ((usePathname() === cardFormPath) !== (target === cardFormPath)) return <a {...rest}>{children}</a>;
  return (
    <Link {...rest} scroll={scroll ?? true} prefetch={prefetch ?? null}>
      {children}
      <LinkPending />
    </Link>
  );
}

function LinkPending() {
  return <Pending isPending={useLinkStatus().pending} />;
}

/** A link in a navigation, marked when its page is current. */
export function NavLink({ href, ...rest }: PageLinkProps) {
  const isCurrent = usePathname() === href;
  return <PageLink {...rest} href={href} aria-current={isCurrent ? 'page' : undefined} onClick={closeMenu} />;
}

/** The layout persists across pages, and with it an open menu that would cover the new page. */
function closeMenu(event: MouseEvent<HTMLElement>): void {
  event.currentTarget.closest('details')?.removeAttribute('open');
}
