export function SkipLink() {
  return (
    <a
      href="#main"
      className="hit sr-only z-50 items-center rounded-control bg-ink px-4 font-medium text-surface focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:flex focus:px-4"
    >
      Skip to content
    </a>
  );
}
