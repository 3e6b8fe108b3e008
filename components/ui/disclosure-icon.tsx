/** Turns when what it stands before is opened: a `details` of class `group`. */
export function FoldMark() {
  return (
    <span aria-hidden="true" className="inline-block group-open:rotate-90">
      ▸
    </span>
  );
}
