import { createPortal } from 'react-dom';
import { classNames } from './class-names.ts';

const statusId = 'pending-status';

/** Rendered before its first message, or screen readers would not announce it. */
export function PendingStatus() {
  return <div id={statusId} role="status" className="sr-only" />;
}

/** Announces a load to screen readers after a short delay, and marks its place for the stylesheet. */
export function Pending({ isPending }: { isPending: boolean }) {
  if (!isPending) return null;
  const status = document.getElementById(statusId);
  return (
    <>
      <span data-pending hidden />
      {status && createPortal(<span className="after-a-moment">Loading…</span>, status)}
    </>
  );
}

/** In place of what loads. */
export function Skeleton({ className }: { className: string }) {
  return <div aria-hidden="true" className={classNames('skeleton rounded-control bg-sunken', className)} />;
}
