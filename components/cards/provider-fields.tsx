'use client';

import { CardCvcElement, CardExpiryElement, CardNumberElement } from '@stripe/react-stripe-js';
import { useState } from 'react';
import type { CardObject } from '#src/api/schemas/card.ts';
import { BrandMark } from './brand-mark.tsx';
import { brandOf } from './card-format.ts';
import { ProviderField, useFrameOptions } from './provider-field.tsx';
import type { useProviderFields } from './use-provider-fields.ts';

/** Number, expiry and security code: three frames of the provider, whose content this page cannot read. */
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
      <ProviderField {...common('expiry')} label="Expiry date">
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
