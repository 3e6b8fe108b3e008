'use client';

import type { Stripe, StripeElements, Token } from '@stripe/stripe-js';
import { useRef, useState } from 'react';
import type { AddCardRequest, AddCardResponse } from '#contract/card-operations.ts';
import { ApiError } from '../api.ts';
import type { Billing } from './billing-fields.tsx';
import { type CardToAdd, useAddCard } from './card-queries.ts';

export type Outcome =
  | { kind: 'answered'; answer: AddCardResponse }
  /** The provider's form refused what was typed. */
  | { kind: 'refused'; code: string | undefined; message: string }
  | { kind: 'failed'; error: unknown };

/**
 * Makes a token and posts it. After a failure that says nothing of the outcome, the next try sends the same token under
 * the same key, so that no card is added twice; `forget` starts anew when the card was changed.
 */
export function useCardSubmission(stripe: Stripe | null, elements: StripeElements | null) {
  const add = useAddCard();
  const pending = useRef<CardToAdd | null>(null);
  const [isBusy, setBusy] = useState(false);

  const attempt = async (billing: Billing): Promise<Outcome> => {
    if (!pending.current) {
      const made = await makeToken(stripe, elements, billing);
      if ('refused' in made) return made.refused;
      pending.current = { request: requestOf(made.token, billing), idempotencyKey: crypto.randomUUID() };
    }
    try {
      const answer = await add.mutateAsync(pending.current);
      pending.current = null;
      return { kind: 'answered', answer };
    } catch (error) {
      if (error instanceof ApiError && (error.failure === 'refused' || error.failure === 'limited'))
        pending.current = null;
      return { kind: 'failed', error };
    }
  };

  const submit = async (billing: Billing): Promise<Outcome> => {
    setBusy(true);
    try {
      return await attempt(billing);
    } finally {
      setBusy(false);
    }
  };

  const forget = () => {
    pending.current = null;
  };
  return { isBusy, submit, forget };
}

async function makeToken(
  stripe: Stripe | null,
  elements: StripeElements | null,
  { name, country, zip }: Billing,
): Promise<{ token: Token } | { refused: Outcome }> {
  const number = elements?.getElement('cardNumber');
  if (!stripe || !number) return { refused: { kind: 'failed', error: new ApiError('provider') } };
  const data = { name: name.trim(), address_country: country, address_zip: zip.trim() };
  try {
    const { token, error } = await stripe.createToken(
      number,
      Object.fromEntries(Object.entries(data).filter(([, value]) => value)),
    );
    if (token) return { token };
    const isAboutCard = error.type === 'card_error' || error.type === 'validation_error';
    if (isAboutCard)
      return { refused: { kind: 'refused', code: error.code, message: error.message ?? 'Check the card.' } };
  } catch {
    // Its script broke or was cut off: the same to the person as a provider that does not answer.
  }
  return { refused: { kind: 'failed', error: new ApiError('provider') } };
}

/** What the token says of the card goes along; the service believes the provider over it. */
function requestOf({ id, card }: Token, { country, zip }: Billing): AddCardRequest {
  return {
    token: id,
    card: {
      ...(card && {
        last4: card.last4,
        brand: card.brand,
        funding: card.funding,
        expMonth: String(card.exp_month),
        expYear: String(card.exp_year),
      }),
      addressCountry: country,
      ...(zip.trim() && { addressZip: zip.trim() }),
      isApplePayCard: card?.tokenization_method === 'apple_pay',
    },
  };
}
