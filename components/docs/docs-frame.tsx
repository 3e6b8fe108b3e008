import type { ReactNode } from 'react';
import { docsPath } from '#src/docs/page.ts';
import { Logo } from '../layout/logo.tsx';
import { SkipLink } from '../layout/skip-link.tsx';
import { DisclosureIcon } from '../ui/icons.tsx';
import { DocsLink, DocsNavLink } from './docs-link.tsx';
import { SearchBox } from './search-box.tsx';

type DocsEntry = { slug: string; group: string; title: string };

type DocsFrameProps = {
  serviceName: string;
  links: DocsEntry[];
  hasShortcuts: boolean;
  children: ReactNode;
};

/** The list of pages beside the current page, or collapsed above it on a narrow screen. */
export function DocsFrame({ serviceName, links, hasShortcuts, children }: DocsFrameProps) {
  return (
    <div className="mx-auto max-w-[72rem] px-4 pb-16 sm:px-6">
      <SkipLink />
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-5">
        <DocsLink href="/docs" className="hit flex items-center gap-3 font-semibold">
          <Logo />
          {serviceName} API
        </DocsLink>
        <SearchBox hasShortcuts={hasShortcuts} />
        <nav aria-label="Resources" className="flex flex-wrap gap-x-5">
          <a href="/openapi.yaml" className="link hit inline-flex items-center">
            OpenAPI
          </a>
          <a href="/llms.txt" className="link hit inline-flex items-center">
            llms.txt
          </a>
          <a href="/" className="link hit inline-flex items-center">
            Dashboard
          </a>
        </nav>
      </header>
      <div className="grid gap-x-10 desk:grid-cols-[13rem_minmax(0,1fr)]">
        <details className="group mb-6 rounded-control border border-line bg-raised desk:hidden">
          <summary className="hit flex items-center gap-2 px-4 font-medium">
            <DisclosureIcon />
            All pages
          </summary>
          <Pages links={links} label="All pages" />
        </details>
        <div className="hidden desk:block">
          <div className="sticky top-6">
            <Pages links={links} label="Pages" />
          </div>
        </div>
        <main id="main" tabIndex={-1} className="min-w-0 outline-none">
          {children}
        </main>
      </div>
    </div>
  );
}

function Pages({ links, label }: { links: DocsEntry[]; label: string }) {
  return (
    <nav aria-label={label} className="grid gap-4 px-4 pb-4 desk:px-0">
      {[...Map.groupBy(links, (link) => link.group)].map(([group, pages]) => (
        <div key={group}>
          <p className="mb-1 text-small font-medium text-muted">{group}</p>
          <ul>
            {pages.map(({ slug, title }) => (
              <li key={slug}>
                <DocsNavLink
                  href={docsPath(slug)}
                  className="hit flex items-center rounded-control hover:underline aria-[current=page]:font-semibold desk:min-h-8"
                >
                  {title}
                </DocsNavLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
