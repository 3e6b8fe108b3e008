'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { type ComponentProps, type MouseEvent, useEffect, useState } from 'react';
import { cardFormPath } from '../layout/card-form-path.ts';
import { LinkPending } from './link-pending.tsx';

type PageLinkProps = ComponentProps<typeof Link> & { href: string };

/** Announces that the page is loading. To, from, and on the page with the card form, it loads a new document. */
export function PageLink({ children, scroll, prefetch, ...rest }: PageLinkProps) {
  const target = rest.href.split(/[?#]/, 1)[0] ?? '';
  if (usePathname() === cardFormPath || target === cardFormPath)
    return <DocumentLink {...rest}>{children}</DocumentLink>;
  return (
    <Link {...rest} scroll={scroll ?? true} prefetch={prefetch ?? null}>
      {children}
      <LinkPending />
    </Link>
  );
}

/** Marks itself while the browser loads the document, until that is shown or stopped. */
function DocumentLink({ children, onClick, ...rest }: Omit<PageLinkProps, 'scroll' | 'prefetch'>) {
  const [isOpening, setOpening] = useState(false);
  useEffect(() => {
    if (!isOpening) return;
    const end = () => setOpening(false);
    const timeout = setTimeout(end, openingMaxMs);
    // The browser can show this document again as it was left.
    window.addEventListener('pagehide', end);
    return () => {
      clearTimeout(timeout);
      window.removeEventListener('pagehide', end);
    };
  }, [isOpening]);
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    setOpening(!(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey));
  };
  const attributes = { ...rest, onClick: open, 'data-opening': isOpening || undefined };
  return <a {...attributes}>{children}</a>;
}

/** No event says that the browser was stopped. */
const openingMaxMs = 5_000;

/** A link in a navigation, marked when its page, or one below it, is current. */
export function NavLink({ href, ...rest }: PageLinkProps) {
  const path = usePathname();
  const current = path === href ? 'page' : path.startsWith(`${href}/`) ? 'true' : undefined;
  return <PageLink {...rest} href={href} aria-current={current} />;
}
