'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../api.ts';
import { chevronsIcon, Icon } from '../ui/icons.tsx';
import { NavLink, PageLink } from '../ui/page-link.tsx';
import { Skeleton } from '../ui/pending.tsx';
import { Logo } from './logo.tsx';
import { navItems, profilePage } from './nav-items.ts';
import { Shortcuts } from './shortcuts.tsx';
import { SkipLink } from './skip-link.tsx';
import { OfflineNotice, RefreshNotice } from './status-notices.tsx';

type HeaderProps = { serviceName: string; customerName: string; cityName: string };

type AppShellProps = HeaderProps & {
  /** Requests of the page name it: see components/api.ts. */
  customerId: number;
  isTestMode: boolean;
  hasShortcuts: boolean;
  children: ReactNode;
};

const newQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        // Back shows a page as it was rendered. Without an older result, a query would take that for new.
        gcTime: Number.POSITIVE_INFINITY,
        retry: (failures, error) =>
          failures < 1 && !(error instanceof ApiError && error.failure === 'signed_out'),
      },
      // Offline, fail immediately instead of waiting for a connection.
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** A side rail on desktops, a bottom bar on phones. A client component, so that pages do not send its markup twice. */
export function AppShell({ customerId, isTestMode, hasShortcuts, children, ...header }: AppShellProps) {
  const [queryClient] = useState(newQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <div
        className="app-shell min-h-dvh print:block desk:grid desk:grid-cols-[15rem_minmax(0,1fr)]"
        data-customer={customerId}
      >
        <SkipLink />
        {hasShortcuts && <Shortcuts />}
        <Header {...header} />
        <main
          id="main"
          tabIndex={-1}
          className="min-w-0 px-4 pt-6 pb-28 outline-none desk:px-10 desk:pt-10 desk:pb-16"
        >
          {isTestMode && <TestModeBanner />}
          <div className="mx-auto max-w-[67.5rem]">
            <OfflineNotice />
            <RefreshNotice />
            <div className="grid grid-cols-[minmax(0,1fr)] *:col-start-1 *:row-start-1">
              <div className="page">{children}</div>
              <PageSkeleton />
            </div>
          </div>
        </main>
      </div>
    </QueryClientProvider>
  );
}

function Header({ serviceName, customerName, cityName }: HeaderProps) {
  return (
    <header className="flex items-center justify-between gap-3 border-b border-line bg-surface px-4 py-1.5 desk:sticky desk:top-0 desk:h-dvh desk:flex-col desk:items-stretch desk:justify-start desk:overflow-y-auto desk:border-r desk:border-b-0 desk:px-3 desk:py-5 print:hidden">
      {/* Space for two lines, so that a long name doesn't move the page. */}
      <div className="min-w-0 max-sm:shrink-0 desk:min-h-15">
        <PageLink
          href="/"
          className="hit flex min-w-0 items-center gap-2.5 rounded-control font-semibold desk:items-start desk:px-3 desk:pt-3 desk:pb-2"
        >
          <Logo className="size-7 desk:-mt-1" />
          <span className="min-w-0 truncate max-sm:sr-only desk:leading-5 desk:whitespace-normal">
            {serviceName}
          </span>
        </PageLink>
      </div>
      <nav
        aria-label="Main"
        className="fixed inset-x-0 bottom-0 z-40 border-t border-line bg-raised pb-[env(safe-area-inset-bottom)] desk:static desk:border-0 desk:bg-transparent desk:pb-0"
      >
        <ul className="mx-auto flex max-w-xl flex-wrap desk:grid desk:max-w-none desk:gap-1">
          {navItems.map(({ path, title, icon }) => (
            <li key={path} className="grow">
              <NavLink href={path} className="nav-item">
                <Icon path={icon} className="size-5 shrink-0 desk:size-4.5" />
                {title}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
      <AccountMenu name={customerName} cityName={cityName} />
    </header>
  );
}

/** A native popover, so that it works without JavaScript. */
function AccountMenu({ name, cityName }: { name: string; cityName: string }) {
  return (
    <div tabIndex={-1} className="-mr-3 min-w-0 outline-none desk:mt-auto desk:mr-0">
      <button
        type="button"
        popoverTarget="account-menu"
        className="hit flex max-w-full items-center gap-2 rounded-control px-3 text-left hover:bg-sunken desk:w-full"
      >
        <span className="min-w-0 flex-1">
          <span className="sr-only">Account: </span>
          <span dir="auto" className="block truncate font-medium sm:max-w-48">
            {name}
          </span>
          <span dir="auto" className="hidden truncate text-small text-muted desk:block">
            {cityName}
          </span>
        </span>
        <Icon path={chevronsIcon} className="size-4 shrink-0 text-muted" />
      </button>
      <div
        id="account-menu"
        popover="auto"
        className="absolute inset-auto top-14 right-4 w-60 rounded-panel border border-line bg-raised p-2 text-ink shadow-lift desk:fixed desk:top-auto desk:w-54 desk:right-auto desk:bottom-20 desk:left-3"
      >
        <div className="mb-2 border-b border-line px-3 pt-1 pb-3">
          <p dir="auto" className="font-medium">
            {name}
          </p>
          <p dir="auto" className="text-small text-muted">
            {cityName}
          </p>
        </div>
        <PageLink
          href={profilePage.path}
          onClick={({ currentTarget }) => currentTarget.closest<HTMLElement>('[popover]')?.hidePopover?.()}
          className="hit flex items-center rounded-control px-3 hover:bg-sunken"
        >
          {profilePage.title}
        </PageLink>
        <form action="/sign-out" method="post">
          <input type="hidden" name="sessions" value="current" />
          <button type="submit" className="hit w-full rounded-control px-3 text-left hover:bg-sunken">
            Sign out
          </button>
        </form>
      </div>
    </div>
  );
}

function TestModeBanner() {
  return (
    <p
      role="note"
      className="-mx-4 -mt-6 mb-6 border-b border-line bg-warn-tint px-4 py-1.5 text-center text-small text-warn desk:-mx-10 desk:-mt-10 desk:mb-8 print:hidden"
    >
      <strong className="font-semibold">Test mode.</strong> No cards are charged.
    </p>
  );
}

/**
 * Of a page: loads a new document if the browser has signed in to another account since. Client-side navigation replaces the
 * page, but keeps the shell around it and the cards that were read.
 */
export function SameAccount({ customerId }: { customerId: number }) {
  useEffect(() => {
    const shell = document.querySelector<HTMLElement>('[data-customer]');
    if (shell?.dataset.customer !== String(customerId)) window.location.reload();
  }, [customerId]);
  return null;
}

/** Shown by the stylesheet while a link is pending. A `loading.tsx` would hide the first page without JavaScript. */
function PageSkeleton() {
  return (
    <div className="page-skeleton" aria-hidden="true">
      <Skeleton className="h-9 w-48" />
      <Skeleton className="mt-3 h-5 w-72 max-w-full" />
      <div className="mt-8 grid gap-4 sm:gap-6 desk:grid-cols-12">
        <Skeleton className="h-(--skeleton-height) rounded-panel desk:col-[span_var(--skeleton-1)]" />
        <Skeleton className="h-(--skeleton-height) rounded-panel desk:col-[span_var(--skeleton-2)]" />
        <Skeleton className="h-96 rounded-panel desk:col-[span_var(--skeleton-3)]" />
      </div>
    </div>
  );
}
