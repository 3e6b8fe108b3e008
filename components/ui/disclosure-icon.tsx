/** For the summary of a `details` element with the class `group`. */
export function DisclosureIcon() {
  return (
    <span aria-hidden="true" className="inline-block group-open:rotate-90">
      ▸
    </span>
  );
}
