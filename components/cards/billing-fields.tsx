'use client';

import { useMemo } from 'react';
import { Field, TextField } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';
import { countries } from './countries.ts';

export type Billing = { name: string; country: string; zip: string };

type BillingFieldsProps = {
  billing: Billing;
  zipError: string | undefined;
  onChange: (billing: Billing) => void;
};

/** Whose card it is and where its bills go, which the bank compares. */
export function BillingFields({ billing, zipError, onChange }: BillingFieldsProps) {
  const all = useMemo(countries, []);
  const isUs = billing.country === 'US';
  return (
    <>
      <TextField
        id="card-name"
        label="Name on card (optional)"
        autoComplete="cc-name"
        value={billing.name}
        onChange={(event) => onChange({ ...billing, name: event.target.value })}
        className="sm:col-span-2"
      />
      <Field id="card-country" label="Billing country">
        <Select
          id="card-country"
          autoComplete="billing country"
          value={billing.country}
          onChange={(event) => onChange({ ...billing, country: event.target.value })}
        >
          {all.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <TextField
        id="card-zip"
        label={isUs ? 'Billing ZIP code' : 'Billing postal code'}
        autoComplete="billing postal-code"
        inputMode={isUs ? 'numeric' : 'text'}
        maxLength={20}
        value={billing.zip}
        error={zipError}
        onChange={(event) => onChange({ ...billing, zip: event.target.value })}
      />
    </>
  );
}

/** @returns what is wrong with the postal code, if anything */
export function zipProblem({ country, zip }: Billing): string | undefined {
  if (country !== 'US') return undefined;
  return /^\d{5}(-?\d{4})?$/.test(zip.trim()) ? undefined : 'Enter the five digits of the ZIP code.';
}
