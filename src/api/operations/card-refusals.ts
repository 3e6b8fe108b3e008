import type { CardFailure } from '#src/cards/card.ts';

export type RefusalReason = CardFailure | 'authentication_required';

/** `code` is for programs, if it is not the reason itself. `message` is for the cardholder, `cause` and `fix` for the errors page. */
type Refusal = { code?: string; message: string; cause: string; fix: string };

/**
 * Every reason for which a card is not added. Lost, stolen, and suspected fraud are not disclosed, because
 * the person with the card may not be its owner.
 */
export const cardRefusals: Record<RefusalReason, Refusal> = {
  card_declined: {
    message: 'Your bank declined this card. Try another card, or call the number on the back of it.',
    cause:
      'The bank declined the card without a reason, or for a reason that must not be revealed to the person using the card.',
    fix: 'Show the message. The customer needs another card. The bank can tell the cardholder more.',
  },
  insufficient_funds: {
    code: 'card_declined',
    message: "This card doesn't have enough funds for the check your bank makes. Try another card.",
    cause: 'The card has insufficient funds for the bank’s check.',
    fix: 'Show the message. The customer needs another card.',
  },
  card_velocity_exceeded: {
    code: 'card_declined',
    message: 'This card was used too often in a short time. Try again tomorrow, or try another card.',
    cause: 'The card was used more often than its bank allows.',
    fix: 'Show the message. The same card might work tomorrow.',
  },
  expired_card: {
    message: 'This card has expired. Check the date, or try another card.',
    cause: 'The card has expired, or the expiration date doesn’t match the bank’s records.',
    fix: 'Show the message next to the expiration date.',
  },
  incorrect_cvc: {
    message: "The security code (CVC) isn't right. Check it and try again.",
    cause: 'The security code (CVC) is wrong.',
    fix: 'Show the message next to the security code, and ask for it again.',
  },
  incorrect_number: {
    message: "The card number isn't right. Check it and try again.",
    cause: 'The card number isn’t valid.',
    fix: 'Show the message next to the card number, and ask for it again.',
  },
  processing_error: {
    message: "Your bank couldn't process this card just now. Try again in a minute.",
    cause: 'The bank or the card network had a temporary problem.',
    fix: 'Create a new token and try again in a minute.',
  },
  authentication_required: {
    message: 'Your bank wants you to confirm this card. The card is added once you have.',
    cause:
      'The bank wants the cardholder to authenticate the card with 3-D Secure. This outcome isn’t final.',
    fix: 'Let the cardholder [authenticate the card](/docs/collect-a-card#3-d-secure), and post the same token again.',
  },
  authentication_failed: {
    message: "Your bank couldn't confirm this card. Try again or use another card.",
    cause: 'The cardholder didn’t pass the bank’s authentication.',
    fix: 'Show the message. The customer can try again with a new token.',
  },
  authentication_canceled: {
    code: 'authentication_failed',
    message:
      "You canceled your bank's confirmation, so the card wasn't added. Try again or use another card.",
    cause: 'The cardholder canceled the bank’s authentication.',
    fix: 'Show the message. The customer can try again with a new token.',
  },
  authentication_abandoned: {
    code: 'authentication_failed',
    message:
      "Your bank's window was closed before you confirmed the card, so the card wasn't added. Try again or use another card.",
    cause: 'The cardholder closed the window of the bank’s authentication.',
    fix: 'Show the message. The customer can try again with a new token.',
  },
  authentication_expired: {
    message: "This card wasn't confirmed in time. Try again or use another card.",
    cause: 'The cardholder didn’t authenticate the card within 24 hours, or the authentication was canceled.',
    fix: 'Show the message. The customer can try again with a new token.',
  },
  card_already_added: {
    message: 'This card is already on file.',
    cause: 'A card with this number and expiration date is already on file.',
    fix: 'No action is needed. The card can be used.',
  },
  card_limit_reached: {
    message: 'There are 20 cards on file already. Remove one before you add another.',
    cause: 'The account already has the maximum number of cards on file.',
    fix: 'Remove a card, and then add this one with a new token.',
  },
};

export const refusalReasons = Object.keys(cardRefusals) as RefusalReason[];

/** The response of `addCard` for a card that was not added. */
export function refusedResponse(reason: RefusalReason) {
  const { message, code = reason } = cardRefusals[reason];
  return { status: false as const, message, code, card: null };
}

/** The response of `addCard` while the bank waits for the cardholder. */
export function authenticationResponse(clientSecret: string) {
  return {
    ...refusedResponse('authentication_required'),
    next_action: { type: 'authenticate', client_secret: clientSecret },
  };
}

/** The documented response. */
export function refusalExample(reason: RefusalReason): object {
  if (reason !== 'authentication_required') return refusedResponse(reason);
  return authenticationResponse('seti_…_secret_…');
}
