import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

type Tone = 'good' | 'warn' | 'bad' | 'neutral';

const tints: Record<Tone, string> = {
  good: 'bg-good-tint text-good border-good',
  warn: 'bg-warn-tint text-warn border-warn',
  bad: 'bg-bad-tint text-bad border-bad',
  neutral: 'bg-sunken text-ink border-line-firm',
};

type NoticeProps = {
  tone: Tone;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** Omit for notices that are on the page from the start. */
  role?: 'alert' | 'status';
  className?: string | undefined;
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

type BadgeProps = { tone: Tone; children: ReactNode; className?: string };

export function Badge({ tone, children, className }: BadgeProps) {
  return <span className={classNames('badge', tints[tone], className)}>{children}</span>;
}
