import { classNames } from './class-names.ts';

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={classNames('skeleton rounded-control bg-sunken', className)} />;
}

export function LoadingLabel({ children }: { children: string }) {
  return (
    <p role="status" className="sr-only">
      {children}
    </p>
  );
}
