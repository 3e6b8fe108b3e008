/** The published test cards: what each number and test token stands for. https://docs.stripe.com/testing */
import type { DeclineName } from './declines.ts';

export type Brand = 'visa' | 'mastercard' | 'amex' | 'discover' | 'diners' | 'jcb' | 'unionpay';

export type TestCard = {
  number: string;
  brand: Brand;
  funding: 'credit' | 'debit' | 'prepaid';
  /** Declines come when the card is attached or a setup intent is confirmed, never at tokenization. */
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

/** Keyed by the name that stands for the card wherever it is stored: a number never is. */
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

/** Other names that the documentation uses for the same cards. */
const ALIASES: Record<string, TestCardName> = {
  chargeDeclinedFraudulentDecline: 'chargeDeclinedFraudulent',
  threeDSecure2Required: 'authenticationRequired',
  threeDSecureRequired: 'authenticationRequired',
  authenticationRequiredSetupForOffSession: 'authenticationRequiredOnSetup',
};

/** @returns the test card with this number; undefined for any other number */
export function cardByNumber(number: string): TestCardName | undefined {
  return byNumber.get(number);
}

/**
 * @param id a reusable test id, e.g. `tok_visa`, `tok_visa_chargeDeclined` or `pm_card_visa`
 * @returns the card that it stands for; undefined for an ordinary id
 */
export function cardByTestId(id: string): TestCardName | undefined {
  const named = /^(?:tok|pm_card)_(?:visa_(?=charge))?(\w+)$/.exec(id)?.[1];
  if (named === undefined) return undefined;
  if (Object.hasOwn(ALIASES, named)) return ALIASES[named];
  return isTestCardName(named) ? named : undefined;
}
