import { CardCvcElement, CardExpiryElement, CardNumberElement } from '@stripe/react-stripe-js';
import type { StripeCardNumberElementOptions } from '@stripe/stripe-js';
import { type ComponentType, useEffect, useState } from 'react';
import { classNames } from '../ui/class-names.ts';
import { Field } from '../ui/field.tsx';
import { brandOf } from './card-format.ts';
import { BrandMark } from './card-parts.tsx';

type FieldName = 'number' | 'expiry' | 'cvc';

/** What Stripe.js tells the page about a field. */
type FieldChange = {
  complete: boolean;
  empty: boolean;
  error?: { message: string } | undefined;
  /** Of the card number. */
  brand?: string;
};

type FieldElement = { focus: () => void };

type ElementProps = {
  id: string;
  options: StripeCardNumberElementOptions;
  onReady: (element: FieldElement) => void;
  onFocus: () => void;
  onBlur: () => void;
  onChange: (change: FieldChange) => void;
};

type ProviderField = {
  name: FieldName;
  Element: ComponentType<ElementProps>;
  label: string;
  requiredMessage: string;
};

const providerFields: ProviderField[] = [
  {
    name: 'number',
    Element: CardNumberElement,
    label: 'Card number',
    requiredMessage: 'Enter the card number.',
  },
  {
    name: 'expiry',
    Element: CardExpiryElement,
    label: 'Expiration date',
    requiredMessage: 'Enter the expiration date.',
  },
  {
    name: 'cvc',
    Element: CardCvcElement,
    label: 'Security code (CVC)',
    requiredMessage: 'Enter the security code.',
  },
];

/** Stripe.js reports all of these; the API responds with the last three. */
const fieldsByErrorCode: Record<string, FieldName> = {
  incomplete_number: 'number',
  invalid_number: 'number',
  incomplete_expiry: 'expiry',
  invalid_expiry_month: 'expiry',
  invalid_expiry_year: 'expiry',
  invalid_expiry_month_past: 'expiry',
  invalid_expiry_year_past: 'expiry',
  incomplete_cvc: 'cvc',
  invalid_cvc: 'cvc',
  incorrect_number: 'number',
  expired_card: 'expiry',
  incorrect_cvc: 'cvc',
};

/** @returns undefined when the error is about the card as a whole */
export function fieldOf(code: string | undefined): FieldName | undefined {
  return code ? fieldsByErrorCode[code] : undefined;
}

type PerField<Value> = Partial<Record<FieldName, Value>>;

/** The state of Stripe's three fields, as far as Stripe.js tells it to the page. */
export function useProviderFields(onChange: () => void) {
  const [elements, setElements] = useState<PerField<FieldElement>>({});
  const [changes, setChanges] = useState<PerField<FieldChange>>({});
  const [errors, setErrors] = useState<PerField<string | undefined>>({});
  const [focused, setFocused] = useState<FieldName>();

  const show = (found: PerField<string>) => {
    setErrors(found);
    const first = providerFields.find(({ name }) => found[name]);
    if (first) elements[first.name]?.focus();
  };

  /** Shows an error at each incomplete field and focuses the first. */
  const check = (): boolean => {
    const found: PerField<string> = {};
    for (const { name, requiredMessage } of providerFields) {
      const { complete = false, empty = true, error } = changes[name] ?? {};
      const incompleteMessage = error?.message ?? `${requiredMessage.slice(0, -1)} in full.`;
      if (!complete) found[name] = empty ? requiredMessage : incompleteMessage;
    }
    show(found);
    return Object.keys(found).length === 0;
  };

  const handlersOf = (name: FieldName) => ({
    onReady: (element: FieldElement) => setElements((all) => ({ ...all, [name]: element })),
    onFocus: () => setFocused(name),
    onBlur: () => setFocused((now) => (now === name ? undefined : now)),
    onChange: (change: FieldChange) => {
      setChanges((all) => ({ ...all, [name]: change }));
      setErrors((all) => ({ ...all, [name]: change.error?.message }));
      onChange();
    },
  });

  return {
    brand: brandOf(changes.number?.brand ?? ''),
    errors,
    focused,
    isReady: providerFields.every(({ name }) => elements[name]),
    check,
    handlersOf,
    show,
  };
}

/** Three iframes of Stripe's, whose contents the page cannot read. */
export function ProviderFields({ fields }: { fields: ReturnType<typeof useProviderFields> }) {
  const { brand, errors, focused, isReady, handlersOf } = fields;
  const options = useFrameOptions();
  return (
    <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2" aria-busy={!isReady}>
      {providerFields.map(({ name, Element, label }) => (
        <Field
          key={name}
          id={`card-${name}`}
          label={label}
          // Stripe.js writes ASCII.
          error={errors[name] && <span role="alert">{errors[name].replaceAll("'", '’')}</span>}
          className={name === 'number' ? 'sm:col-span-2' : undefined}
        >
          <div
            className={classNames(
              'hit flex items-center gap-3 rounded-control border bg-raised px-3',
              errors[name] ? 'border-bad ring-1 ring-bad' : 'border-line-firm',
              focused === name && 'outline-2 outline-offset-2 outline-accent',
            )}
          >
            <div className={classNames('min-w-0 flex-1', !isReady && 'invisible')}>
              <Element id={`card-${name}`} options={options} {...handlersOf(name)} />
            </div>
            {name === 'number' && <BrandMark brand={brand} />}
          </div>
        </Field>
      ))}
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
  const color = (name: string) => page.getPropertyValue(`--color-${name}`).trim();
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
