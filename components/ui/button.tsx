import type { ComponentProps, MouseEvent } from 'react';
import { classNames } from './class-names.ts';

export type ButtonLook = 'main' | 'plain' | 'quiet' | 'danger';

const looks: Record<ButtonLook, string> = {
  main: 'bg-accent text-on-accent hover:bg-accent-hover',
  plain: 'border border-line-firm bg-raised text-ink hover:bg-sunken',
  quiet: 'text-ink hover:bg-sunken',
  danger: 'border border-bad text-bad hover:bg-bad-tint',
};

/** The looks of a button, for what is one to the eye. */
export function buttonClass(look: ButtonLook, className?: string): string {
  return classNames(
    'hit inline-grid place-items-center rounded-control px-4 text-center font-medium transition-colors duration-100',
    'aria-disabled:cursor-not-allowed aria-disabled:opacity-85 disabled:cursor-not-allowed disabled:opacity-60',
    looks[look],
    className,
  );
}

type ButtonProps = ComponentProps<'button'> & {
  /** `main` is for the one main action of a page. */
  look?: ButtonLook;
  isBusy?: boolean;
  /** What it does while it works ("Adding card…"). */
  busyLabel?: string;
};

/** While busy it says what it does, keeps its width and its focus, and cannot be pressed again. */
export function Button({
  look = 'plain',
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
      className={buttonClass(look, className)}
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
