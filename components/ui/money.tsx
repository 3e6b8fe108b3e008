import { classNames } from './class-names.ts';

const usd = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** `$1,284.50`, or `credit of $12.00` below zero. */
export function formatCents(amountCents: number): string {
  return amountCents < 0 ? `credit of ${usd.format(-amountCents / 100)}` : usd.format(amountCents / 100);
}

export function Money({ amountCents, className }: { amountCents: number; className?: string }) {
  return <span className={classNames('tabular-nums', className)}>{formatCents(amountCents)}</span>;
}
