import { Skeleton } from '../ui/skeleton.tsx';

/**
 * The shape of a page while the next one is on its way: shown by the stylesheet as long as a link of the frame is
 * pending. A loading file would also hide the first page from people without JavaScript.
 */
export function PageSkeleton() {
  return (
    <div className="page-skeleton" aria-hidden="true">
      <Skeleton className="h-9 w-48" />
      <Skeleton className="mt-3 h-5 w-72 max-w-full" />
      <div className="mt-8 grid gap-4 sm:gap-6 desk:grid-cols-12">
        <Skeleton className="h-56 rounded-panel desk:col-span-7" />
        <Skeleton className="h-56 rounded-panel desk:col-span-5" />
        <Skeleton className="h-72 rounded-panel desk:col-span-12" />
      </div>
    </div>
  );
}
