'use client';

import { CardCvcElement, CardExpiryElement, CardNumberElement } from '@stripe/react-stripe-js';
import type { StripeCardNumberElementOptions } from '@stripe/stripe-js';
import { type ReactNode, useEffect, useState } from 'react';
import type { CardObject } from '#src/api/schemas.ts';
import { classNames } from '../ui/class-names.ts';
import { Field } from '../ui/field.tsx';
import { BrandMark } from './brand-mark.tsx';
import { brandOf } from './card-format.ts';
import type { useProviderFields } from './use-provider-fields.ts';

/** Three iframes of Stripe's, whose contents the page cannot read. */
export function ProviderFields({ fields }: { fields: ReturnType<typeof useProviderFields> }) {
  const options = useFrameOptions();
  const [brand, setBrand] = useState<CardObject['brand']>('unknown');
  const common = (name: 'number' | 'expiry' | 'cvc') => ({
    id: `card-${name}`,
    error: fields.errors[name] || undefined,
    isFocused: fields.focused === name,
    isReady: fields.isReady,
  });
  return (
    <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2" aria-busy={!fields.isReady}>
      <ProviderField
        {...common('number')}
        label="Card number"
        mark={<BrandMark brand={brand} />}
        className="sm:col-span-2"
      >
        <CardNumberElement
          id="card-number"
          options={options}
          {...fields.handlers('number')}
          onChange={(event) => {
            setBrand(brandOf(event.brand));
            fields.changed('number', event);
          }}
        />
      </ProviderField>
      <ProviderField {...common('expiry')} label="Expiration date">
        <CardExpiryElement
          id="card-expiry"
          options={options}
          {...fields.handlers('expiry')}
          onChange={(event) => fields.changed('expiry', event)}
        />
      </ProviderField>
      <ProviderField {...common('cvc')} label="Security code (CVC)">
        <CardCvcElement
          id="card-cvc"
          options={options}
          {...fields.handlers('cvc')}
          onChange={(event) => fields.changed('cvc', event)}
        />
      </ProviderField>
    </div>
  );
}

/** Styles Stripe's iframes with the page's current colors. */
function useFrameOptions(): StripeCardNumberElementOptions {
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
  isReady: boolean;
  mark?: ReactNode;
  className?: string;
  children: ReactNode;
};

function ProviderField({
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
    <Field id={id} label={label} error={error} className={className}>
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
