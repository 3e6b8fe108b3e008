import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { keepHyphenatedWords } from './text-wrap.tsx';

type PanelProps = {
  /** ID of the heading. */
  id: string;
  title: string;
  action?: ReactNode;
  className?: string;
  children: ReactNode;
};

/** Do not nest panels. */
export function Panel({ id, title, action, className, children }: PanelProps) {
  return (
    <section
      aria-labelledby={id}
      className={classNames(
        'min-w-0 rounded-panel border border-line bg-raised p-[min(1rem,5vw)] sm:p-6 print:border-0 print:p-0',
        className,
      )}
    >
      <div className="mb-4 flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id={id} className="text-lead font-semibold">
          {title}
        </h2>
        {action}
      </div>
      {children}
    </section>
  );
}

type PageHeaderProps = { title: string; children?: ReactNode; action?: ReactNode };

export function PageHeader({ title, children, action }: PageHeaderProps) {
  return (
    <header className="mb-6 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-page font-semibold tracking-tight text-balance">{keepHyphenatedWords(title)}</h1>
        {children && <div className="mt-1 text-muted tabular-nums">{children}</div>}
      </div>
      {action}
    </header>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="rounded-control border border-dashed border-line-firm px-4 py-8 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="mx-auto max-w-xl text-muted text-balance">{children}</div>}
    </div>
  );
}
