/** Lucide's `chevrons-up-down` (ISC license). */
export const chevronsIcon = 'm7 15 5 5 5-5M7 9l5-5 5 5';

/** @param path an SVG path on a 24 by 24 grid */
export function Icon({ path, className }: { path: string; className: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={className}
    >
      <path d={path} />
    </svg>
  );
}

/** For the summary of a `details` element with the class `group`. */
export function DisclosureIcon() {
  return (
    <span aria-hidden="true" className="inline-block group-open:rotate-90">
      ▸
    </span>
  );
}
