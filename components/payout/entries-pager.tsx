import { ButtonLink } from '../ui/button-link.tsx';
import { PageLink } from '../ui/page-link.tsx';

type EntriesPagerProps = {
  newerHref: string | undefined;
  latestHref: string | undefined;
  olderHref: string | undefined;
};

/** Plain links through the pages; nothing where there is only one. */
export function EntriesPager({ newerHref, latestHref, olderHref }: EntriesPagerProps) {
  if (!newerHref && !latestHref && !olderHref) return null;
  return (
    <nav
      aria-label="Pages of entries"
      className="mt-4 grid grid-cols-2 gap-2 sm:flex sm:items-center sm:gap-3 print:hidden"
    >
      {newerHref && (
        <ButtonLink href={newerHref} prefetch={false} rel="prev" className="max-sm:px-2">
          Newer entries
        </ButtonLink>
      )}
      {latestHref && (
        <PageLink
          href={latestHref}
          prefetch={false}
          className="hit order-last col-span-2 inline-flex items-center justify-self-start sm:order-none sm:px-1"
        >
          <span className="link">Back to the latest</span>
        </PageLink>
      )}
      {olderHref && (
        <ButtonLink
          href={olderHref}
          prefetch={false}
          rel="next"
          className="col-start-2 max-sm:px-2 sm:ml-auto"
        >
          Older entries
        </ButtonLink>
      )}
    </nav>
  );
}
