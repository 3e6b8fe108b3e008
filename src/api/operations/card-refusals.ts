import type { CardFailure } from '#src/cards/card.ts';

const declined = 'Your bank declined this card. Try another card, or call the number on the back of it.';

/**
 * The message for the cardholder and the code for programs. Lost, stolen, and suspected fraud are not disclosed, because
 * the person with the card may not be its owner.
 */
export const cardRefusals: Record<CardFailure, { code: string; message: string }> = {
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
    message: "Your bank wants to confirm this card, which can't be done here yet. Try another card.",
  },
  card_already_added: { code: 'card_already_added', message: 'This card is already on file.' },
  card_limit_reached: {
    code: 'card_limit_reached',
    message: 'There are 20 cards on file already. Remove one before you add another.',
  },
};

export const refusalReasons = Object.keys(cardRefusals) as CardFailure[];

/** The response of `addCard` for a card that was not added. */
export function refusedResponse(failure: CardFailure) {
  const { message, code } = cardRefusals[failure];
  return { status: false as const, message, code, card: null };
}
