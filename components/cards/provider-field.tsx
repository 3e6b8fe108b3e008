'use client';

import type { StripeCardNumberElementOptions } from '@stripe/stripe-js';
import { useEffect, useState } from 'react';
import { classNames } from '../ui/class-names.ts';
import { Field } from '../ui/field.tsx';

/** The look of the provider's frames, in the page's own colours of the moment. */
export function useFrameOptions(): StripeCardNumberElementOptions {
  const [options, setOptions] = useState(frameOptions);
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setOptions(frameOptions());
    dark.addEventListener('change', follow);
    return () => dark.removeEventListener('change', follow);
  }, []);
  return options;
}

function frameOptions(): StripeCardNumberElementOptions {
  const page = getComputedStyle(document.documentElement);
  const color = (name: string) => page.getPropertyValue(`--${name}`).trim();
  return {
    style: {
      base: {
        color: color('ink'),
        iconColor: color('muted'),
        fontFamily: 'ui-sans-serif, system-ui, sans-serif',
        fontSize: '16px',
        lineHeight: '24px',
        '::placeholder': { color: color('muted') },
      },
      invalid: { color: color('bad'), iconColor: color('bad') },
    },
  };
}

type ProviderFieldProps = {
  id: string;
  label: string;
  error: string | undefined;
  isFocused: boolean;
  /** Before that the frame takes nothing that is typed into it. */
  isReady: boolean;
  mark?: React.ReactNode;
  className?: string;
  children: React.ReactNode;
};

/** Looks like a field of the page; what is typed into it goes to the provider alone. */
export function ProviderField({
  id,
  label,
  error,
  isFocused,
  isReady,
  mark,
  className,
  children,
}: ProviderFieldProps) {
  return (
    <Field id={id} label={label} error={error} {...(className && { className })}>
      <div
        className={classNames(
          'hit flex items-center gap-3 rounded-control border bg-raised px-3',
          error ? 'border-bad ring-1 ring-bad' : 'border-line-firm',
          isFocused && 'outline-2 outline-offset-2 outline-accent',
        )}
      >
        <div className={classNames('min-w-0 flex-1', !isReady && 'invisible')}>{children}</div>
        {mark}
      </div>
    </Field>
  );
}
