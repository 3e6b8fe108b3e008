/**
 * Says that what was asked for is on its way: to a screen reader here, to the eye by the stylesheet, which looks for
 * the mark. What is quick shows and says nothing. Visible where the page around it is not, once its shape is shown.
 */
export function Pending({ isPending }: { isPending: boolean }) {
  return (
    <span role="status" data-pending={isPending || undefined} className="visible sr-only">
      {isPending && <span className="after-a-moment">Loading…</span>}
    </span>
  );
}
