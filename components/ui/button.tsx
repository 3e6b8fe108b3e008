import type { ComponentProps, MouseEvent } from 'react';
import { classNames } from './class-names.ts';

/** `primary` is for the one main action of a page. */
type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger';

const variantClasses: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover forced-colors:border',
  secondary: 'border border-line-firm bg-raised text-ink hover:bg-sunken',
  ghost: 'text-ink hover:bg-sunken forced-colors:border',
  danger: 'border border-bad text-bad hover:bg-bad-tint',
};

/** For links that look like buttons. */
export function buttonClass(variant: ButtonVariant, className?: string): string {
  return classNames('button', variantClasses[variant], className);
}

type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant;
  isBusy?: boolean;
  /** Replaces the label while busy ("Adding card…"). */
  busyLabel?: string;
};

/** Goes away with its message, so it leaves the focus to the nearest ancestor that can take it. */
export function RetryButton({ onRetry }: { onRetry: () => void }) {
  const retry = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    currentTarget.closest<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true });
    onRetry();
  };
  return <Button onClick={retry}>Try again</Button>;
}

/** While busy it keeps its width and the focus, and ignores clicks. */
export function Button({
  variant = 'secondary',
  isBusy = false,
  busyLabel,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const handleClick = (event: MouseEvent<HTMLButtonElement>) => {
    if (isBusy) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={isBusy || undefined}
      onClick={handleClick}
      className={buttonClass(variant, className)}
    >
      <span className={classNames('col-start-1 row-start-1', isBusy && busyLabel && 'invisible')}>
        {children}
      </span>
      {busyLabel && (
        <span className={classNames('col-start-1 row-start-1', !isBusy && 'invisible')}>{busyLabel}</span>
      )}
    </button>
  );
}
