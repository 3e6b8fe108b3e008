'use client';

import type { StripeElementChangeEvent, StripeElements } from '@stripe/stripe-js';
import { useState } from 'react';
import { type CardFieldName, emptyWords } from './card-messages.ts';

type FieldState = { isComplete: boolean; isEmpty: boolean; error?: string | undefined };
type FieldErrors = Partial<Record<CardFieldName, string>>;

export const fieldNames: CardFieldName[] = ['number', 'expiry', 'cvc'];
const elementOf = {
  number: (elements: StripeElements) => elements.getElement('cardNumber'),
  expiry: (elements: StripeElements) => elements.getElement('cardExpiry'),
  cvc: (elements: StripeElements) => elements.getElement('cardCvc'),
};
const untouched: FieldState = { isComplete: false, isEmpty: true };

/** What the page may know of the provider's three fields: whether each is complete, and what is wrong with it. */
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

  /** @returns whether all three are complete; else the first that is not has the focus and says why */
  const check = (): boolean => {
    const found: FieldErrors = {};
    for (const name of fieldNames) {
      const { isComplete, isEmpty, error } = states[name];
      if (!isComplete)
        found[name] = isEmpty ? emptyWords[name] : (error ?? `${emptyWords[name].slice(0, -1)} in full.`);
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
