import { expect, it } from 'vitest';
import { cardRefusals } from '#src/api/operations/card-refusals.ts';
import { type CardFailure, cardFailure, isDecline } from './card.ts';

it('addCard: every refusal counts as a decline, except for those of our own', () => {
  const failures = Object.keys(cardRefusals) as CardFailure[];
  expect(failures.filter((failure) => !isDecline(failure))).toEqual([
    'card_already_added',
    'card_limit_reached',
  ]);
});

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
])('addCard: the reason %s is told as %s', (reason, failure) => {
  expect(cardFailure(reason)).toBe(failure);
});
