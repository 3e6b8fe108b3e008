export function Logo({ className = 'size-7' }: { className?: string }) {
  return (
    <svg viewBox="0 0 28 28" aria-hidden="true" className={`shrink-0 ${className}`}>
      <rect width="28" height="28" rx="7" className="fill-ink" />
      <path
        d="M8 20.5v-6a4 4 0 0 1 4-4h8m-3.5-4 4 4-4 4"
        className="stroke-surface"
        strokeWidth="2.5"
        fill="none"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="8" cy="20.5" r="2.6" className="fill-surface" />
    </svg>
  );
}
