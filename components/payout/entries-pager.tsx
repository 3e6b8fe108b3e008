import { ButtonLink } from '../ui/button-link.tsx';
import { PageLink } from '../ui/page-link.tsx';

type EntriesPagerProps = {
  newerHref: string | undefined;
  latestHref: string | undefined;
  olderHref: string | undefined;
};

/** Plain links through the pages; nothing where there is only one. */
export function EntriesPager({ newerHref, latestHref, olderHref }: EntriesPagerProps) {
  if (!newerHref && !olderHref) return null;
  return (
    <nav aria-label="Pages of entries" className="mt-4 flex flex-wrap items-center gap-3 print:hidden">
      {newerHref && (
        <ButtonLink href={newerHref} prefetch={false} rel="prev">
          Newer entries
        </ButtonLink>
      )}
      {latestHref && (
        <PageLink
          href={latestHref}
          prefetch={false}
          className="hit order-last inline-flex items-center px-1 sm:order-none"
        >
          <span className="link">Back to the latest</span>
        </PageLink>
      )}
      {olderHref && (
        <ButtonLink href={olderHref} prefetch={false} rel="next" className="ml-auto">
          Older entries
        </ButtonLink>
      )}
    </nav>
  );
}
