import { LoadingLabel, Skeleton } from '../ui/skeleton.tsx';

/** As tall as the form, so that nothing below it moves when it comes. */
export function CardFormSkeleton() {
  return (
    <div className="grid gap-5">
      <LoadingLabel>Loading the card form</LoadingLabel>
      <FieldsSkeleton />
      <FieldsSkeleton />
      <Skeleton className="h-11 w-32" />
    </div>
  );
}

function FieldsSkeleton() {
  return (
    <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
      <Skeleton className="h-18 sm:col-span-2" />
      <Skeleton className="h-18" />
      <Skeleton className="h-18" />
    </div>
  );
}
