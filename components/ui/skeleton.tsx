import { classNames } from './class-names.ts';

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={classNames('skeleton rounded-control bg-sunken', className)} />;
}
