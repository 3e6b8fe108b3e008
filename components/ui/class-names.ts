export function classNames(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** Of fields. Here, for the search of the docs, which needs nothing else of them. */
export const controlClass =
  'hit w-full rounded-control border border-line-firm bg-raised px-3 text-lead text-ink sm:text-body placeholder:text-muted ' +
  'aria-invalid:border-bad aria-invalid:ring-1 aria-invalid:ring-bad';
