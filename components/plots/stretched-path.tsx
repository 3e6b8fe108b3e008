import { classNames } from '../ui/class-names.ts';
import { pathSize } from './step-path.ts';

/** A path made for a box of `pathSize`, stretched to the plot; the line keeps its width. */
export function StretchedPath({ d, className }: { d: string; className: string }) {
  return (
    <svg
      x="0"
      y="0"
      width="100%"
      height="100%"
      viewBox={`0 0 ${pathSize} ${pathSize}`}
      preserveAspectRatio="none"
      className="overflow-visible"
      aria-hidden="true"
    >
      <path d={d} className={classNames('[vector-effect:non-scaling-stroke]', className)} />
    </svg>
  );
}
