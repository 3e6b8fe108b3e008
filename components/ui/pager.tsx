import { buttonClass } from './button.tsx';
import { PageLink } from './page-link.tsx';

type PagerProps = {
  label: string;
  newerUrl?: string | undefined;
  latestUrl: string | undefined;
  olderUrl: string | undefined;
};

export function Pager({ label, newerUrl, latestUrl, olderUrl }: PagerProps) {
  if (!newerUrl && !latestUrl && !olderUrl) return null;
  return (
    <nav
      aria-label={label}
      className="mt-4 grid grid-cols-2 gap-2 sm:flex sm:items-center sm:gap-3 print:hidden"
    >
      {newerUrl && (
        <PageLink
          href={newerUrl}
          prefetch={false}
          rel="prev"
          className={buttonClass('secondary', 'max-sm:px-2')}
        >
          Newer
        </PageLink>
      )}
      {latestUrl && (
        <PageLink
          href={latestUrl}
          prefetch={false}
          className="hit order-last col-span-2 inline-flex items-center justify-self-start sm:order-none sm:px-1"
        >
          <span className="link">Back to latest</span>
        </PageLink>
      )}
      {olderUrl && (
        <PageLink
          href={olderUrl}
          prefetch={false}
          rel="next"
          className={buttonClass('secondary', 'col-start-2 max-sm:px-2 sm:ml-auto')}
        >
          Older
        </PageLink>
      )}
    </nav>
  );
}
