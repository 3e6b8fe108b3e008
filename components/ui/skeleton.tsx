import { classNames } from './class-names.ts';

/** The shape of what comes; give it the size of the thing by its class. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={classNames('skeleton rounded-control bg-sunken', className)} />;
}

/** Says to a screen reader what the skeletons say to the eye. */
export function LoadingLabel({ children }: { children: string }) {
  return (
    <p role="status" className="sr-only">
      {children}
    </p>
  );
}
