import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'neutral';

const tints: Record<Tone, string> = {
  good: 'bg-good-tint text-good border-good',
  warn: 'bg-warn-tint text-warn border-warn',
  bad: 'bg-bad-tint text-bad border-bad',
  neutral: 'bg-sunken text-ink border-line-firm',
};

type NoticeProps = {
  tone: Tone;
  /** What happened, in words that need no colour. */
  title: ReactNode;
  /** What to do. */
  children?: ReactNode;
  action?: ReactNode;
  /** `alert` for what came from an action just taken; leave out for what stands on the page. */
  role?: 'alert' | 'status';
  className?: string;
};

export function Notice({ tone, title, children, action, role, className }: NoticeProps) {
  return (
    <div
      role={role}
      className={classNames(
        'flex flex-wrap items-center gap-x-6 gap-y-3 rounded-control border-l-3 px-4 py-3',
        tints[tone],
        className,
      )}
    >
      <div className="min-w-0 flex-[1_1_16rem]">
        <p className="font-medium">{title}</p>
        {children && <div className="text-ink">{children}</div>}
      </div>
      {action}
    </div>
  );
}

/** A word on a tint: "Expired", "Active". */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span
      className={classNames('inline-block rounded-control px-2 py-0.5 text-small font-medium', tints[tone])}
    >
      {children}
    </span>
  );
}
