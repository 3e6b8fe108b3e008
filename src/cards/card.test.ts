import { expect, it } from 'vitest';
import { cardFailure } from './card.ts';

it.each([
  ['insufficient_funds', 'insufficient_funds'],
  ['withdrawal_count_limit_exceeded', 'card_velocity_exceeded'],
  ['invalid_expiry_month', 'expired_card'],
  ['invalid_expiry_year', 'expired_card'],
  ['invalid_cvc', 'incorrect_cvc'],
  ['invalid_number', 'incorrect_number'],
  ['try_again_later', 'processing_error'],
  ['provider_refused', 'processing_error'],
  ['provider_failed', 'processing_error'],
  ['lost_card', 'card_declined'],
  ['stolen_card', 'card_declined'],
  ['fraudulent', 'card_declined'],
  ['a new reason', 'card_declined'],
  ['authentication_required', 'authentication_failed'],
  ['setup_intent_authentication_failure', 'authentication_failed'],
  ...[
    'card_velocity_exceeded',
    'expired_card',
    'incorrect_cvc',
    'incorrect_number',
    'processing_error',
    'authentication_canceled',
    'authentication_abandoned',
    'authentication_expired',
    'card_already_added',
    'card_limit_reached',
  ].map((reason) => [reason, reason]),
])('addCard: the reason %s is told as %s', (reason, failure) => {
  expect(cardFailure(reason)).toBe(failure);
});
