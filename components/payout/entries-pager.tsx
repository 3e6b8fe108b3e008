import { ButtonLink } from '../ui/button-link.tsx';

type EntriesPagerProps = { latestHref: string | undefined; olderHref: string | undefined };

/** Plain links through the pages; nothing where there is only one. */
export function EntriesPager({ latestHref, olderHref }: EntriesPagerProps) {
  if (!latestHref && !olderHref) return null;
  return (
    <nav aria-label="Pages of entries" className="mt-4 flex flex-wrap justify-between gap-3 print:hidden">
      {latestHref ? (
        <ButtonLink href={latestHref} scroll={false} prefetch={false}>
          Back to the latest
        </ButtonLink>
      ) : (
        <span />
      )}
      {olderHref && (
        <ButtonLink href={olderHref} scroll={false} prefetch={false} rel="next">
          Older entries
        </ButtonLink>
      )}
    </nav>
  );
}
