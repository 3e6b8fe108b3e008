'use client';

import type { StripeElementChangeEvent, StripeElements } from '@stripe/stripe-js';
import { useState } from 'react';

export type CardFieldName = 'number' | 'expiry' | 'cvc';

/** Stripe.js reports all of these; the API responds with the last three. */
const fieldsByErrorCode: Record<string, CardFieldName> = {
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
export function fieldOf(code: string | undefined): CardFieldName | undefined {
  return code ? fieldsByErrorCode[code] : undefined;
}

const requiredMessages: Record<CardFieldName, string> = {
  number: 'Enter the card number.',
  expiry: 'Enter the expiration date.',
  cvc: 'Enter the security code.',
};

type FieldState = { isComplete: boolean; isEmpty: boolean; error?: string | undefined };
type FieldErrors = Partial<Record<CardFieldName, string>>;

const fieldNames: CardFieldName[] = ['number', 'expiry', 'cvc'];
const elementOf = {
  number: (elements: StripeElements) => elements.getElement('cardNumber'),
  expiry: (elements: StripeElements) => elements.getElement('cardExpiry'),
  cvc: (elements: StripeElements) => elements.getElement('cardCvc'),
};
const untouched: FieldState = { isComplete: false, isEmpty: true };

/** The state of Stripe's three fields, as far as Stripe.js tells it to the page. */
export function useProviderFields(elements: StripeElements | null, onChange: () => void) {
  const [states, setStates] = useState({ number: untouched, expiry: untouched, cvc: untouched });
  const [errors, setErrors] = useState<FieldErrors>({});
  const [focused, setFocused] = useState<CardFieldName | null>(null);
  const [readyFields, setReadyFields] = useState<CardFieldName[]>([]);

  const focus = (name: CardFieldName) => {
    if (elements) elementOf[name](elements)?.focus();
  };

  const show = (found: FieldErrors) => {
    setErrors(found);
    const first = fieldNames.find((name) => found[name]);
    if (first) focus(first);
  };

  const changed = (
    name: CardFieldName,
    event: Pick<StripeElementChangeEvent, 'complete' | 'empty'> & { error?: { message: string } | undefined },
  ) => {
    setStates((all) => ({
      ...all,
      [name]: { isComplete: event.complete, isEmpty: event.empty, error: event.error?.message },
    }));
    setErrors((all) => ({ ...all, [name]: event.error?.message ?? '' }));
    onChange();
  };

  /** Shows an error at each incomplete field and focuses the first. */
  const check = (): boolean => {
    const found: FieldErrors = {};
    for (const name of fieldNames) {
      const { isComplete, isEmpty, error } = states[name];
      if (!isComplete)
        found[name] = isEmpty
          ? requiredMessages[name]
          : (error ?? `${requiredMessages[name].slice(0, -1)} in full.`);
    }
    show(found);
    return Object.keys(found).length === 0;
  };

  const handlers = (name: CardFieldName) => ({
    onReady: () => setReadyFields((ready) => [...new Set([...ready, name])]),
    onFocus: () => setFocused(name),
    onBlur: () => setFocused((now) => (now === name ? null : now)),
  });

  return {
    errors,
    focused,
    isReady: readyFields.length === fieldNames.length,
    changed,
    check,
    focus,
    handlers,
    show,
  };
}
