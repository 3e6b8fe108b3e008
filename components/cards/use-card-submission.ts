'use client';

import type { Stripe, StripeElements, Token } from '@stripe/stripe-js';
import { useRef, useState } from 'react';
import type { AddCardRequest, AddCardResponse } from '#src/api/operations/add-card.ts';
import { ApiError, leavesOpen } from '../api.ts';
import type { Billing } from './billing-fields.tsx';
import { type CardToAdd, useAddCard } from './card-queries.ts';

export type Outcome =
  | { kind: 'answered'; answer: AddCardResponse }
  /** The provider's form refused what was typed. */
  | { kind: 'refused'; code: string | undefined; message: string }
  /** `isUnsure`: this try or one before it may have added the card. */
  | { kind: 'failed'; error: unknown; isUnsure: boolean };

/**
 * Makes a token and posts it. After a failure that says nothing of the outcome, every further try sends the same
 * token under the same key until one is answered, so that no card is added twice; `forget` starts anew when the card
 * was changed.
 */
export function useCardSubmission(stripe: Stripe | null, elements: StripeElements | null) {
  const add = useAddCard();
  const pending = useRef<(CardToAdd & { isUnsure: boolean }) | null>(null);
  const [isBusy, setBusy] = useState(false);

  const attempt = async (billing: Billing): Promise<Outcome> => {
    const isFirstTry = !pending.current;
    if (!pending.current) {
      const made = await makeToken(stripe, elements, billing);
      if ('refused' in made) return made.refused;
      const request = requestOf(made.token, billing);
      pending.current = { request, idempotencyKey: crypto.randomUUID(), isUnsure: false };
    }
    const card = pending.current;
    try {
      const answer = await add.mutateAsync(card);
      pending.current = null;
      return { kind: 'answered', answer };
    } catch (error) {
      const failure = error instanceof ApiError ? error.failure : undefined;
      // Too many requests says of this try that nothing was done, but not how the ones before it ended.
      if (failure === 'refused' || (failure === 'limited' && isFirstTry)) pending.current = null;
      card.isUnsure ||= leavesOpen(error);
      return { kind: 'failed', error, isUnsure: card.isUnsure };
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
  if (!stripe || !number)
    return { refused: { kind: 'failed', error: new ApiError('provider'), isUnsure: false } };
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
  const error = new ApiError(navigator.onLine ? 'provider' : 'offline');
  return { refused: { kind: 'failed', error, isUnsure: false } };
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
