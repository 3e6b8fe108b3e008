'use client';

import type { Stripe } from '@stripe/stripe-js';
import { useRef, useState } from 'react';
import type { AddCardRequest, AddCardResponse } from '#src/api/operations/add-card.ts';
import { ApiError, isOutcomeUnknown } from '../api.ts';
import { type CardToAdd, useAddCard } from './card-queries.ts';

export type Outcome =
  | { kind: 'responded'; response: AddCardResponse }
  /** The bank still waits for the cardholder. A retry continues. */
  | { kind: 'unconfirmed' }
  /** Stripe.js rejected the input. */
  | { kind: 'rejected'; code: string | undefined; message: string }
  /** `isUncertain`: this attempt or an earlier one may have added the card. */
  | { kind: 'failed'; error: unknown; isUncertain: boolean };

/** What Stripe.js made of the card: a request, or an outcome without one. */
export type CreatedRequest = { request: AddCardRequest } | { rejected: Outcome };

/**
 * Has Stripe.js create a token or payment method and posts it, again after the bank's challenge if there is one. When the outcome is unknown, retries send the same
 * one with the same idempotency key, so that no card is added twice; `reset` starts over after the card was changed.
 */
export function useCardSubmission(stripe: Stripe | null) {
  const add = useAddCard();
  const pending = useRef<(CardToAdd & { isUncertain: boolean }) | null>(null);
  const [isBusy, setBusy] = useState(false);

  const attempt = async (create: () => Promise<CreatedRequest>): Promise<Outcome> => {
    if (!pending.current) {
      const created = await create();
      if ('rejected' in created) return created.rejected;
      pending.current = { ...created, idempotencyKey: crypto.randomUUID(), isUncertain: false };
    }
    const card = pending.current;
    try {
      let response = await add.mutateAsync(card);
      if (!response.status && response.next_action) {
        // A confirmed card is added even if this page does not post it again.
        card.isUncertain = true;
        await authenticate(stripe, response.next_action.client_secret);
        // The service knows how it ended.
        response = await add.mutateAsync(card);
        if (!response.status && response.next_action) return { kind: 'unconfirmed' };
      }
      pending.current = null;
      return { kind: 'responded', response };
    } catch (error) {
      const failure = error instanceof ApiError ? error.failure : undefined;
      // A 429 says that this request did nothing, but not how earlier ones ended.
      if (failure === 'rejected' || (failure === 'rate_limited' && !card.isUncertain)) pending.current = null;
      card.isUncertain ||= isOutcomeUnknown(error);
      return { kind: 'failed', error, isUncertain: card.isUncertain };
    }
  };

  /** @param create not called by a retry */
  const submit = async (create: () => Promise<CreatedRequest>): Promise<Outcome> => {
    setBusy(true);
    try {
      return await attempt(create);
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
