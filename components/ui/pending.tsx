import { createPortal } from 'react-dom';

const statusId = 'on-its-way';

/** Where what is on its way is said, once for the whole page; there before the first word, or it would not be announced. */
export function PendingStatus() {
  return <div id={statusId} role="status" className="sr-only" />;
}

/**
 * Says that what was asked for is on its way: to a screen reader in the page's status, to the eye by the stylesheet,
 * which looks for the mark. What is quick shows and says nothing.
 */
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
