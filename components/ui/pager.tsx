import type { ComponentProps } from 'react';
import { buttonClass } from './button.tsx';
import { classNames } from './class-names.ts';
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
        <Neighbor href={newerUrl} rel="prev">
          Newer
        </Neighbor>
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
        <Neighbor href={olderUrl} rel="next" className="col-start-2 sm:ml-auto">
          Older
        </Neighbor>
      )}
    </nav>
  );
}

/** The page before or after. */
function Neighbor({ className, ...link }: ComponentProps<typeof PageLink>) {
  const classes = buttonClass('secondary', classNames('max-sm:px-2', className));
  return <PageLink {...link} prefetch={false} className={classes} />;
}
