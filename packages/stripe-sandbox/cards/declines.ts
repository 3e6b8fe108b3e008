/** What the provider says when a test card is declined. https://docs.stripe.com/declines/codes */
import type { ErrorFields } from '../api/errors.ts';

const declined = (
  decline_code: string,
  message = 'Your card was declined.',
  advice_code = 'do_not_try_again',
) => ({ code: 'card_declined', decline_code, message, advice_code }) as const;

export const DECLINES = {
  generic_decline: declined('generic_decline', undefined, 'try_again_later'),
  insufficient_funds: declined('insufficient_funds', 'Your card has insufficient funds.', 'try_again_later'),
  lost_card: declined('lost_card'),
  stolen_card: declined('stolen_card'),
  fraudulent: declined('fraudulent'),
  card_velocity_exceeded: declined(
    'card_velocity_exceeded',
    'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
    'try_again_later',
  ),
  expired_card: { code: 'expired_card', message: 'Your card has expired.', param: 'exp_month' },
  incorrect_cvc: { code: 'incorrect_cvc', message: "Your card's security code is incorrect.", param: 'cvc' },
  processing_error: {
    code: 'processing_error',
    message: 'An error occurred while processing your card. Try again in a little bit.',
  },
} as const satisfies Record<string, Omit<ErrorFields, 'type'>>;

export type DeclineName = keyof typeof DECLINES;
