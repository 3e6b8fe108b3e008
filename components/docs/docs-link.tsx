'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ComponentProps } from 'react';
import { LinkPending } from '../ui/link-pending.tsx';

type DocsLinkProps = ComponentProps<typeof Link>;

/** To a page of the API docs, which needs less script than a link to any page. */
export function DocsLink({ children, ...rest }: DocsLinkProps) {
  return (
    <Link {...rest}>
      {children}
      <LinkPending />
    </Link>
  );
}

/** In the list of pages. */
export function DocsNavLink({ href, ...rest }: DocsLinkProps) {
  const isCurrent = usePathname() === href;
  return (
    <DocsLink
      {...rest}
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      // The layout persists across pages, and with it an open list that would cover the new page.
      onClick={({ currentTarget }) => currentTarget.closest('details')?.removeAttribute('open')}
    />
  );
}
