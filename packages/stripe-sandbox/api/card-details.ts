/** Checks of card details at tokenization. */
import { hasLuhnDigit } from '../cards/numbers.ts';
import { type Brand, cardByNumber, testCard } from '../cards/test-cards.ts';
import { cardError, type ErrorFields, invalidParameter, type StripeApiError } from './errors.ts';
import type { Params } from './params.ts';

export type CheckedCard = { name: string; expMonth: number; expYear: number; hasCvc: boolean };

/**
 * @param now compared with the expiry in UTC, as Stripe does
 * @throws StripeApiError 402 for invalid details, 400 for missing ones
 */
export function checkCard(params: Params, now: Date): CheckedCard {
  const name = checkNumber(params.required('card[number]').replace(/[\s-]/g, ''));
  const month = params.required('card[exp_month]');
  const { expMonth, expYear } = checkExpiry(month, params.required('card[exp_year]'), now);
  const cvc = params.text('card[cvc]');
  if (cvc !== undefined && !isCvcOf(testCard(name).brand, cvc)) {
    throw refusal('invalid_cvc', "Your card's security code is invalid.", 'cvc');
  }
  return { name, expMonth, expYear, hasCvc: cvc !== undefined };
}

function checkNumber(number: string): string {
  if (!/^\d{12,19}$/.test(number))
    throw refusal('invalid_number', 'The card number is not a valid credit card number.', 'number');
  if (!hasLuhnDigit(number)) throw refusal('incorrect_number', 'Your card number is incorrect.', 'number');
  const name = cardByNumber(number);
  if (name === undefined) {
    throw cardError({
      code: 'card_declined',
      decline_code: 'test_mode_live_card',
      message:
        'Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test cards, visit: https://stripe.com/docs/testing.',
      param: 'number',
    });
  }
  return name;
}

/** @throws StripeApiError 402 for an invalid or past expiry */
export function checkExpiry(month: string, year: string, now: Date): { expMonth: number; expYear: number } {
  const expMonth = Number(month);
  if (!Number.isInteger(expMonth) || expMonth < 1 || expMonth > 12)
    throw refusal('invalid_expiry_month', "Your card's expiration month is invalid.", 'exp_month');
  const expYear = Number(year) < 100 ? 2000 + Number(year) : Number(year);
  const thisYear = now.getUTCFullYear();
  if (!Number.isInteger(expYear) || expYear < thisYear || expYear > thisYear + 50)
    throw refusal('invalid_expiry_year', "Your card's expiration year is invalid.", 'exp_year');
  if (expYear === thisYear && expMonth < now.getUTCMonth() + 1)
    throw refusal('invalid_expiry_month', "Your card's expiration month is invalid.", 'exp_month');
  return { expMonth, expYear };
}

function isCvcOf(brand: Brand, cvc: string): boolean {
  return /^\d+$/.test(cvc) && cvc.length === (brand === 'amex' ? 4 : 3);
}

function refusal(code: NonNullable<ErrorFields['code']>, message: string, param: string): StripeApiError {
  return cardError({ code, message, param });
}

/** @throws StripeApiError 400 for a card number in place of a token */
export function refuseRawNumber(params: Params): void {
  if (params.text('card[number]') !== undefined)
    throw invalidParameter(
      'card[number]',
      'Sending credit card numbers directly to the Stripe API is generally unsafe. Create a token with the form in the browser and send that.',
    );
}
