import { ButtonLink } from '../ui/button.tsx';

type EntriesPagerProps = { newerHref: string | undefined; olderHref: string | undefined };

/** Plain links to the pages before and after; nothing where there is only one page. */
export function EntriesPager({ newerHref, olderHref }: EntriesPagerProps) {
  if (!newerHref && !olderHref) return null;
  return (
    <nav aria-label="Pages of entries" className="mt-4 flex justify-between gap-3 print:hidden">
      {newerHref ? (
        <ButtonLink href={newerHref} scroll={false} rel="prev">
          Newer
        </ButtonLink>
      ) : (
        <span />
      )}
      {olderHref && (
        <ButtonLink href={olderHref} scroll={false} rel="next">
          Older
        </ButtonLink>
      )}
    </nav>
  );
}
