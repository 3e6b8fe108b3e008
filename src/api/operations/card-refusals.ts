import type { CardFailure } from '#src/cards/card.ts';
import type { CardAction } from '#src/payments/provider.ts';

const declined = 'Your bank declined this card. Try another card, or call the number on the back of it.';

export type RefusalReason = CardFailure | 'authentication_required';

/**
 * The message for the cardholder and the code for programs. Lost, stolen, and suspected fraud are not disclosed, because
 * the person with the card may not be its owner.
 */
export const cardRefusals: Record<RefusalReason, { code: string; message: string }> = {
  card_declined: { code: 'card_declined', message: declined },
  insufficient_funds: {
    code: 'card_declined',
    message: "This card doesn't have enough funds for the check your bank makes. Try another card.",
  },
  card_velocity_exceeded: {
    code: 'card_declined',
    message: 'This card was used too often in a short time. Try again tomorrow, or try another card.',
  },
  expired_card: {
    code: 'expired_card',
    message: 'This card has expired. Check the date, or try another card.',
  },
  incorrect_cvc: {
    code: 'incorrect_cvc',
    message: "The security code (CVC) isn't right. Check it and try again.",
  },
  incorrect_number: {
    code: 'incorrect_number',
    message: "The card number isn't right. Check it and try again.",
  },
  processing_error: {
    code: 'processing_error',
    message: "Your bank couldn't process this card just now. Try again in a minute.",
  },
  authentication_required: {
    code: 'authentication_required',
    message: 'Your bank wants you to confirm this card. The card is added once you have.',
  },
  authentication_failed: {
    code: 'authentication_failed',
    message: "Your bank couldn't confirm this card. Try again or use another card.",
  },
  authentication_expired: {
    code: 'authentication_expired',
    message: "This card wasn't confirmed in time. Try again or use another card.",
  },
  card_already_added: { code: 'card_already_added', message: 'This card is already on file.' },
  card_limit_reached: {
    code: 'card_limit_reached',
    message: 'There are 20 cards on file already. Remove one before you add another.',
  },
};

export const refusalReasons = Object.keys(cardRefusals) as RefusalReason[];

/** The response of `addCard` for a card that was not added. */
export function refusedResponse(reason: RefusalReason) {
  const { message, code } = cardRefusals[reason];
  return { status: false as const, message, code, card: null };
}

/** The response of `addCard` while the bank waits for the cardholder. */
export function authenticationResponse({ type, clientSecret }: CardAction) {
  return {
    ...refusedResponse('authentication_required'),
    next_action: { type, client_secret: clientSecret },
  };
}

/** The documented response. */
export function refusalExample(reason: RefusalReason): object {
  if (reason !== 'authentication_required') return refusedResponse(reason);
  return authenticationResponse({ type: 'use_stripe_sdk', clientSecret: 'seti_…_secret_…' });
}
