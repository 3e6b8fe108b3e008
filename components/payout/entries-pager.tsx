import Link from 'next/link';
import { ButtonLink } from '../ui/button-link.tsx';

type EntriesPagerProps = {
  newerHref: string | undefined;
  latestHref: string | undefined;
  olderHref: string | undefined;
};

/** Plain links through the pages; nothing where there is only one. */
export function EntriesPager({ newerHref, latestHref, olderHref }: EntriesPagerProps) {
  if (!newerHref && !olderHref) return null;
  const quiet = { scroll: false, prefetch: false };
  return (
    <nav aria-label="Pages of entries" className="mt-4 flex flex-wrap items-center gap-3 print:hidden">
      {newerHref && (
        <ButtonLink href={newerHref} {...quiet} rel="prev">
          Newer entries
        </ButtonLink>
      )}
      {latestHref && (
        <Link
          href={latestHref}
          {...quiet}
          className="hit order-last inline-flex items-center px-1 sm:order-none"
        >
          <span className="link">Back to the latest</span>
        </Link>
      )}
      {olderHref && (
        <ButtonLink href={olderHref} {...quiet} rel="next" className="ml-auto">
          Older entries
        </ButtonLink>
      )}
    </nav>
  );
}
