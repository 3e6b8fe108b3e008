/** Stripe's published test cards and their declines. https://docs.stripe.com/testing https://docs.stripe.com/declines/codes */
import type { Stripe } from 'stripe';

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
} as const satisfies Record<string, Omit<Stripe.SetupIntent.LastSetupError, 'type'>>;

export type DeclineName = keyof typeof DECLINES;

export type Brand = 'visa' | 'mastercard' | 'amex' | 'discover' | 'diners' | 'jcb' | 'unionpay';

export type TestCard = {
  number: string;
  brand: Brand;
  funding: 'credit' | 'debit' | 'prepaid';
  /** Cards are declined when they are attached or a setup intent is confirmed, not at tokenization. */
  outcome: 'succeeds' | 'requires_action' | DeclineName;
};

const good = (number: string, brand: Brand, funding: TestCard['funding'] = 'credit'): TestCard => ({
  number,
  brand,
  funding,
  outcome: 'succeeds',
});
const visa = (number: string, outcome: TestCard['outcome']): TestCard => ({
  number,
  brand: 'visa',
  funding: 'credit',
  outcome,
});

/** By the name that is stored in place of the card's number. */
export const TEST_CARDS = {
  visa: good('4242424242424242', 'visa'),
  visa_debit: good('4000056655665556', 'visa', 'debit'),
  mastercard: good('5555555555554444', 'mastercard'),
  mastercard_debit: good('5200828282828210', 'mastercard', 'debit'),
  mastercard_prepaid: good('5105105105105100', 'mastercard', 'prepaid'),
  amex: good('378282246310005', 'amex'),
  discover: good('6011111111111117', 'discover'),
  diners: good('3056930009020004', 'diners'),
  jcb: good('3566002020360505', 'jcb'),
  unionpay: good('6200000000000005', 'unionpay'),
  chargeCustomerFail: visa('4000000000000341', 'succeeds'),
  chargeDeclined: visa('4000000000000002', 'generic_decline'),
  chargeDeclinedInsufficientFunds: visa('4000000000009995', 'insufficient_funds'),
  chargeDeclinedLostCard: visa('4000000000009987', 'lost_card'),
  chargeDeclinedStolenCard: visa('4000000000009979', 'stolen_card'),
  chargeDeclinedVelocityLimitExceeded: visa('4000000000006975', 'card_velocity_exceeded'),
  chargeDeclinedExpiredCard: visa('4000000000000069', 'expired_card'),
  chargeDeclinedIncorrectCvc: visa('4000000000000127', 'incorrect_cvc'),
  chargeDeclinedProcessingError: visa('4000000000000119', 'processing_error'),
  chargeDeclinedFraudulent: visa('4100000000000019', 'fraudulent'),
  authenticationRequiredOnSetup: visa('4000002500003155', 'requires_action'),
  authenticationRequired: visa('4000002760003184', 'requires_action'),
} as const satisfies Record<string, TestCard>;

export type TestCardName = keyof typeof TEST_CARDS;

const isTestCardName = (name: string): name is TestCardName => Object.hasOwn(TEST_CARDS, name);

const byNumber = new Map(
  Object.entries(TEST_CARDS).flatMap(([name, card]) =>
    isTestCardName(name) ? [[card.number, name] as [string, TestCardName]] : [],
  ),
);

/** Other published names of the same cards. */
const ALIASES: Record<string, TestCardName> = {
  chargeDeclinedFraudulentDecline: 'chargeDeclinedFraudulent',
  threeDSecure2Required: 'authenticationRequired',
  threeDSecureRequired: 'authenticationRequired',
  authenticationRequiredSetupForOffSession: 'authenticationRequiredOnSetup',
};

export function cardByNumber(number: string): TestCardName | undefined {
  return byNumber.get(number);
}

/**
 * @param id a reusable test ID, such as `tok_visa`, `tok_visa_chargeDeclined`, or `pm_card_visa`
 * @returns undefined for any other ID
 */
export function cardByTestId(id: string): TestCardName | undefined {
  const named = /^(?:tok|pm_card)_(?:visa_(?=charge))?(\w+)$/.exec(id)?.[1];
  if (named === undefined) return undefined;
  if (Object.hasOwn(ALIASES, named)) return ALIASES[named];
  return isTestCardName(named) ? named : undefined;
}
