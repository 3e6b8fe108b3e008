import type { PaymentMethod, Stripe, StripeElements, Token } from '@stripe/stripe-js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { AddCardRequest, AddCardResponse } from '#src/api/operations/add-card.ts';
import { ApiError, callApi, isOutcomeUnknown, newIdempotencyKey } from '../api.ts';
import { askBeforeLeaving } from './ask-before-leaving.ts';
import type { Billing } from './billing-fields.tsx';
import { cardsKey, setCards } from './card-queries.ts';

export type Outcome =
  | { kind: 'responded'; response: AddCardResponse }
  /** The bank still waits for the cardholder. A retry continues. */
  | { kind: 'unconfirmed' }
  /** Stripe.js rejected the input. */
  | { kind: 'rejected'; code: string | undefined; message: string }
  /** `isUncertain`: this attempt or an earlier one may have added the card. */
  | { kind: 'failed'; error: unknown; isUncertain: boolean };

type CardToAdd = { request: AddCardRequest; idempotencyKey: string };

type Rejection = { rejected: Outcome };
/** What Stripe.js made of the card: a request, or an outcome without one. */
export type CreatedRequest = { request: AddCardRequest } | Rejection;

/**
 * Has Stripe.js create a token or payment method and posts it, again after the bank's challenge if there is one. When the outcome is unknown, retries send the same
 * one with the same idempotency key, so that no card is added twice; `reset` starts over after the card was changed.
 */
export function useCardSubmission(stripe: Stripe) {
  const add = useAddCard();
  const pending = useRef<(CardToAdd & { isUncertain: boolean }) | null>(null);
  const [isBusy, setBusy] = useState(false);

  const attempt = async (create: () => Promise<CreatedRequest>): Promise<Outcome> => {
    if (!pending.current) {
      const created = await create();
      if ('rejected' in created) return created.rejected;
      pending.current = { ...created, idempotencyKey: newIdempotencyKey(), isUncertain: false };
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
      // These say that this request did nothing, but not how earlier ones ended.
      const isUnchanged = failure === 'rate_limited' || failure === 'signed_out';
      if (failure === 'rejected' || (isUnchanged && !card.isUncertain)) pending.current = null;
      card.isUncertain ||= isOutcomeUnknown(error);
      return { kind: 'failed', error, isUncertain: card.isUncertain };
    }
  };

  /** @param create not called by a retry */
  const submit = async (create: () => Promise<CreatedRequest>): Promise<Outcome> => {
    setBusy(true);
    try {
      return await askBeforeLeaving(() => attempt(create));
    } finally {
      setBusy(false);
    }
  };

  const reset = () => {
    pending.current = null;
  };
  return { isBusy, submit, reset };
}

/** A declined card is a response, not an error. */
function useAddCard() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ request, idempotencyKey }: CardToAdd) =>
      callApi<AddCardResponse>('payment/cards', { method: 'POST', body: request, idempotencyKey }),
    onSuccess: async (response) => {
      if (!response.status) return;
      await client.cancelQueries({ queryKey: cardsKey });
      const { card: added, replaced } = response;
      setCards(client, (cards) => [
        ...cards
          .filter(({ uuid }) => uuid !== added.uuid && uuid !== replaced)
          .map((card) => ({ ...card, isDefault: card.isDefault && !added.isDefault })),
        added,
      ]);
      void client.invalidateQueries({ queryKey: cardsKey });
    },
    // It may have been added, or have been on file without being in the list.
    onSettled: (response, error) => {
      const isStale = response
        ? 'code' in response && response.code === 'card_already_added'
        : isOutcomeUnknown(error);
      if (isStale) void client.invalidateQueries({ queryKey: cardsKey });
    },
  });
}

/** Shows the bank's challenge (3-D Secure) until it ends. */
async function authenticate(stripe: Stripe, clientSecret: string): Promise<void> {
  try {
    await stripe.handleNextAction({ clientSecret });
  } catch {
    // The action has ended already, or Stripe.js failed.
  }
}

/** Creates a token of the card fields. */
export async function requestOfFields(
  stripe: Stripe,
  elements: StripeElements | null,
  billing: Billing,
): Promise<CreatedRequest> {
  const number = elements?.getElement('cardNumber');
  if (!number) return unreachable('provider');
  const { country } = billing;
  const zip = billing.zip.trim();
  const data = { name: billing.name.trim(), address_country: country, address_zip: zip };
  try {
    const { token, error } = await stripe.createToken(
      number,
      Object.fromEntries(Object.entries(data).filter(([, value]) => value)),
    );
    if (!token) return rejectedBy(error);
    const isApplePayCard = token.card?.tokenization_method === 'apple_pay';
    return { request: requestOf(token.id, token.card, { country, zip }, isApplePayCard) };
  } catch {
    return unreachable();
  }
}

/** Creates a payment method of the card that was chosen in a wallet. */
export async function requestOfWallet(
  stripe: Stripe,
  elements: StripeElements | null,
): Promise<CreatedRequest> {
  if (!elements) return unreachable('provider');
  try {
    const submitted = await elements.submit();
    if (submitted.error) return rejectedBy(submitted.error);
    const { paymentMethod, error } = await stripe.createPaymentMethod({ elements });
    if (!paymentMethod) return rejectedBy(error);
    const { id, card, billing_details } = paymentMethod;
    const { country, postal_code: zip } = billing_details.address ?? {};
    return { request: requestOf(id, card, { country, zip }, card?.wallet?.type === 'apple_pay') };
  } catch {
    return unreachable();
  }
}

function rejectedBy({ type, code, message }: { type: string; code?: string; message?: string }): Rejection {
  const isAboutCard = type === 'card_error' || type === 'validation_error';
  if (!isAboutCard) return unreachable();
  return { rejected: { kind: 'rejected', code, message: message ?? 'Check the card details.' } };
}

/** Stripe.js failed or lost its connection. */
function unreachable(failure: 'provider' | 'offline' = navigator.onLine ? 'provider' : 'offline'): Rejection {
  return { rejected: { kind: 'failed', error: new ApiError(failure), isUncertain: false } };
}

type CardDetails = NonNullable<Token['card']> | PaymentMethod.Card;
type Address = { country: string | null | undefined; zip: string | null | undefined };

function requestOf(
  id: string,
  card: CardDetails | undefined,
  { country, zip }: Address,
  isApplePayCard: boolean,
): AddCardRequest {
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
      ...(country && { addressCountry: country }),
      ...(zip && { addressZip: zip }),
      isApplePayCard,
    },
  };
}
