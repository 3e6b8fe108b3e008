'use client';

import type { Stripe, StripeElements, Token } from '@stripe/stripe-js';
import { useRef, useState } from 'react';
import type { AddCardRequest, AddCardResponse } from '#src/api/operations/add-card.ts';
import { ApiError, isOutcomeUnknown } from '../api.ts';
import type { Billing } from './billing-fields.tsx';
import { type CardToAdd, useAddCard } from './card-queries.ts';

export type Outcome =
  | { kind: 'responded'; response: AddCardResponse }
  /** The bank still waits for the cardholder. A retry continues. */
  | { kind: 'unconfirmed' }
  /** Stripe.js rejected the input. */
  | { kind: 'rejected'; code: string | undefined; message: string }
  /** `isUncertain`: this attempt or an earlier one may have added the card. */
  | { kind: 'failed'; error: unknown; isUncertain: boolean };

/**
 * Creates a token and posts it, again after the bank's challenge if there is one. When the outcome is unknown, retries send the same token and idempotency key, so that
 * no card is added twice; `reset` starts over after the card was changed.
 */
export function useCardSubmission(stripe: Stripe | null, elements: StripeElements | null) {
  const add = useAddCard();
  const pending = useRef<(CardToAdd & { isUncertain: boolean }) | null>(null);
  const [isBusy, setBusy] = useState(false);

  const attempt = async (billing: Billing): Promise<Outcome> => {
    const isFirstAttempt = !pending.current;
    if (!pending.current) {
      const result = await createToken(stripe, elements, billing);
      if ('rejected' in result) return result.rejected;
      const request = requestOf(result.token, billing);
      pending.current = { request, idempotencyKey: crypto.randomUUID(), isUncertain: false };
    }
    const card = pending.current;
    try {
      let response = await add.mutateAsync(card);
      if (!response.status && response.next_action) {
        await authenticate(stripe, response.next_action.client_secret);
        // The service knows how it ended.
        response = await add.mutateAsync(card);
        if (!response.status && response.next_action) return { kind: 'unconfirmed' };
      }
      pending.current = null;
      return { kind: 'responded', response };
    } catch (error) {
      const failure = error instanceof ApiError ? error.failure : undefined;
      // A 429 says that this attempt did nothing, but not how earlier ones ended.
      if (failure === 'rejected' || (failure === 'rate_limited' && isFirstAttempt)) pending.current = null;
      card.isUncertain ||= isOutcomeUnknown(error);
      return { kind: 'failed', error, isUncertain: card.isUncertain };
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

  const reset = () => {
    pending.current = null;
  };
  return { isBusy, submit, reset };
}

/** Shows the bank's challenge (3-D Secure) until it ends. */
async function authenticate(stripe: Stripe | null, clientSecret: string): Promise<void> {
  try {
    await stripe?.handleNextAction({ clientSecret });
  } catch {
    // The action has ended already, or Stripe.js failed.
  }
}

async function createToken(
  stripe: Stripe | null,
  elements: StripeElements | null,
  { name, country, zip }: Billing,
): Promise<{ token: Token } | { rejected: Outcome }> {
  const number = elements?.getElement('cardNumber');
  if (!stripe || !number)
    return { rejected: { kind: 'failed', error: new ApiError('provider'), isUncertain: false } };
  const data = { name: name.trim(), address_country: country, address_zip: zip.trim() };
  try {
    const { token, error } = await stripe.createToken(
      number,
      Object.fromEntries(Object.entries(data).filter(([, value]) => value)),
    );
    if (token) return { token };
    const isAboutCard = error.type === 'card_error' || error.type === 'validation_error';
    if (isAboutCard)
      return {
        rejected: { kind: 'rejected', code: error.code, message: error.message ?? 'Check the card details.' },
      };
  } catch {
    // Stripe.js failed or lost its connection.
  }
  const error = new ApiError(navigator.onLine ? 'provider' : 'offline');
  return { rejected: { kind: 'failed', error, isUncertain: false } };
}

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
