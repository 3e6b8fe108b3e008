/** Stripe's published test cards and their declines. https://docs.stripe.com/testing https://docs.stripe.com/declines/codes */
import type { Stripe } from 'stripe';
import type { Fault } from '../state/faults.ts';

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

/** The brands of payment methods, and what tokens and receipts call them. */
export const BRANDS = {
  visa: { ofToken: 'Visa', display: 'visa' },
  mastercard: { ofToken: 'MasterCard', display: 'mastercard' },
  amex: { ofToken: 'American Express', display: 'american_express' },
  discover: { ofToken: 'Discover', display: 'discover' },
  diners: { ofToken: 'Diners Club', display: 'diners_club' },
  jcb: { ofToken: 'JCB', display: 'jcb' },
  unionpay: { ofToken: 'UnionPay', display: 'union_pay' },
};
export type Brand = keyof typeof BRANDS;
type CheckName = 'address_line1_check' | 'address_postal_code_check' | 'cvc_check';

export type TestCard = {
  number: string;
  brand: Brand;
  funding: 'credit' | 'debit' | 'prepaid';
  /** ISO 3166-1 alpha-2 code of the issuer's country. */
  country: string;
  /** Cards are declined when they are attached or a setup intent is confirmed, not at tokenization. */
  outcome: 'succeeds' | 'requires_action' | DeclineName;
  /** The bank's decision after a successful authentication, if it is a decline. */
  declineAfterAction?: DeclineName;
  /** The issuer's checks that do not pass. */
  checks?: Partial<Record<CheckName, 'fail' | 'unavailable'>>;
  networks?: string[];
  wallet?: 'apple_pay' | 'google_pay';
  /** What happens each time the card's test token is exchanged. */
  fault?: Pick<Fault, 'kind' | 'delayMs'>;
};

type Details = Partial<Omit<TestCard, 'number' | 'brand'>>;

const card = (number: string, brand: Brand, details: Details = {}): TestCard => ({
  number,
  brand,
  funding: 'credit',
  country: 'US',
  outcome: 'succeeds',
  ...details,
});
const visa = (number: string, details: Details = {}) => card(number, 'visa', details);
const declines = (number: string, outcome: DeclineName) => visa(number, { outcome });

/** By the name that is stored in place of the card's number. */
export const TEST_CARDS = {
  visa: visa('4242424242424242'),
  visa_debit: visa('4000056655665556', { funding: 'debit' }),
  mastercard: card('5555555555554444', 'mastercard'),
  mastercard_2series: card('2223003122003222', 'mastercard'),
  mastercard_debit: card('5200828282828210', 'mastercard', { funding: 'debit' }),
  mastercard_prepaid: card('5105105105105100', 'mastercard', { funding: 'prepaid' }),
  amex: card('378282246310005', 'amex'),
  amex_2: card('371449635398431', 'amex'),
  discover: card('6011111111111117', 'discover'),
  discover_2: card('6011000990139424', 'discover'),
  discover_debit: card('6011981111111113', 'discover', { funding: 'debit' }),
  diners: card('3056930009020004', 'diners'),
  diners_14digits: card('36227206271667', 'diners'),
  jcb: card('3566002020360505', 'jcb'),
  unionpay: card('6200000000000005', 'unionpay'),
  unionpay_debit: card('6200000000000047', 'unionpay', { funding: 'debit' }),
  unionpay_19digits: card('6205500000000000004', 'unionpay'),
  chargeCustomerFail: visa('4000000000000341'),
  chargeDeclined: declines('4000000000000002', 'generic_decline'),
  chargeDeclinedInsufficientFunds: declines('4000000000009995', 'insufficient_funds'),
  chargeDeclinedLostCard: declines('4000000000009987', 'lost_card'),
  chargeDeclinedStolenCard: declines('4000000000009979', 'stolen_card'),
  chargeDeclinedVelocityLimitExceeded: declines('4000000000006975', 'card_velocity_exceeded'),
  chargeDeclinedExpiredCard: declines('4000000000000069', 'expired_card'),
  chargeDeclinedIncorrectCvc: declines('4000000000000127', 'incorrect_cvc'),
  chargeDeclinedProcessingError: declines('4000000000000119', 'processing_error'),
  chargeDeclinedFraudulent: declines('4100000000000019', 'fraudulent'),
  authenticationRequiredOnSetup: visa('4000002500003155', { outcome: 'requires_action', country: 'FR' }),
  authenticationRequired: visa('4000002760003184', { outcome: 'requires_action', country: 'DE' }),
  authenticationRequiredSetupForOffSession: visa('4000003800000446', {
    outcome: 'requires_action',
    country: 'IT',
  }),
  authenticationRequiredChargeDeclinedInsufficientFunds: visa('4000008260003178', {
    outcome: 'requires_action',
    declineAfterAction: 'insufficient_funds',
    country: 'GB',
  }),
  threeDSecure2Required: visa('4000000000003220', { outcome: 'requires_action' }),
  threeDSecureRequiredChargeDeclined: visa('4000008400001629', {
    outcome: 'requires_action',
    declineAfterAction: 'generic_decline',
  }),
  threeDSecureRequiredProcessingError: declines('4000008400001280', 'generic_decline'),
  threeDSecureOptional: visa('4000000000003055'),
  threeDSecureOptionalProcessingError: visa('4000000000003097'),
  cvcCheckFail: visa('4000000000000101', { checks: { cvc_check: 'fail' } }),
  avsFail: visa('4000000000000010', {
    checks: { address_line1_check: 'fail', address_postal_code_check: 'fail' },
  }),
  avsLine1Fail: visa('4000000000000028', { checks: { address_line1_check: 'fail' } }),
  avsZipFail: visa('4000000000000036', { checks: { address_postal_code_check: 'fail' } }),
  avsUnchecked: visa('4000000000000044', {
    checks: { address_line1_check: 'unavailable', address_postal_code_check: 'unavailable' },
  }),
  riskLevelElevated: visa('4000000000009235'),
  riskLevelHighest: visa('4000000000004954'),
  createDispute: visa('4000000000000259'),
  createDisputeProductNotReceived: visa('4000000000002685'),
  createDisputeInquiry: visa('4000000000001976'),
  createIssuerFraudRecord: visa('4000000000005423'),
  bypassPending: visa('4000000000000077'),
  bypassPendingInternational: visa('4000003720000278', { country: 'IE' }),
  pendingRefund: visa('4000000000007726'),
  refundFail: visa('4000000000005126'),
  visa_cartesBancaires: visa('4000002500001001', {
    country: 'FR',
    networks: ['cartes_bancaires', 'visa'],
  }),
  mastercard_cartesBancaires: card('5555552500001001', 'mastercard', {
    country: 'FR',
    networks: ['cartes_bancaires', 'mastercard'],
  }),
} as const satisfies Record<string, TestCard>;

/** Cards that succeed, by the lowercase code of the issuer's country, as in `tok_br` and `pm_card_br`. */
const COUNTRY_CARDS = Object.entries({
  ...{ ar: '4000000320000021', br: '4000000760000002', ca: '4000001240000000', cl: '4000001520000001' },
  ...{ co: '4000001700000003', cr: '4000001880000005', ec: '4000002180000000', mx: '4000004840008001' },
  ...{ pa: '4000005910000000', py: '4000006000000066', pe: '4000006040000068', uy: '4000008580000003' },
  ...{ ae: '4000007840000001', at: '4000000400000008', be: '4000000560000004', bg: '4000001000000000' },
  ...{ by: '4000001120000005', hr: '4000001910000009', cy: '4000001960000008', cz: '4000002030000002' },
  ...{ dk: '4000002080000001', ee: '4000002330000009', fi: '4000002460000001', fr: '4000002500000003' },
  ...{ de: '4000002760000016', gi: '4000002920000005', gr: '4000003000000030', hu: '4000003480000005' },
  ...{ ie: '4000003720000005', it: '4000003800000008', lv: '4000004280000005', li: '4000004380000004' },
  ...{ lt: '4000004400000000', lu: '4000004420000006', mt: '4000004700000007', nl: '4000005280000002' },
  ...{ no: '4000005780000007', pl: '4000006160000005', pt: '4000006200000007', ro: '4000006420000001' },
  ...{ sa: '4000006820000007', si: '4000007050000006', sk: '4000007030000001', es: '4000007240000007' },
  ...{ se: '4000007520000008', ch: '4000007560000009', gb: '4000008260000000', au: '4000000360000006' },
  ...{ cn: '4000001560000002', hk: '4000003440000004', in: '4000003560000008', jp: '4000003920000003' },
  ...{ my: '4000004580000002', nz: '4000005540000008', sg: '4000007020000003', tw: '4000001580000008' },
  ...{ th: '4000007640000003' },
}).map(([code, number]): [string, TestCard] => [code, visa(number, { country: code.toUpperCase() })]);

/** The sandbox's own: Stripe publishes no test tokens of wallets. */
const WALLET_CARDS: [string, TestCard][] = [
  ['visa_applePay', { ...TEST_CARDS.visa, wallet: 'apple_pay' }],
  ['visa_applePayChargeDeclined', { ...TEST_CARDS.chargeDeclined, wallet: 'apple_pay' }],
  [
    'visa_googlePayAuthenticationRequired',
    { ...TEST_CARDS.authenticationRequiredOnSetup, wallet: 'google_pay' },
  ],
];

/** The sandbox's own: a program cannot provoke these at Stripe. */
const FAULT_CARDS: [string, TestCard][] = [
  ['sandbox_slow', { ...TEST_CARDS.visa, fault: { kind: 'slow', delayMs: 5_000 } }],
  ['sandbox_unavailable', { ...TEST_CARDS.visa, fault: { kind: '500', delayMs: 0 } }],
  ['sandbox_denied', { ...TEST_CARDS.visa, fault: { kind: '401', delayMs: 0 } }],
];

const cards = new Map<string, TestCard>([
  ...Object.entries(TEST_CARDS),
  ...COUNTRY_CARDS,
  ['gb_debit', visa('4000058260000005', { country: 'GB', funding: 'debit' })],
  ['gb_mastercard', card('5555558265554449', 'mastercard', { country: 'GB' })],
  ...WALLET_CARDS,
  ...FAULT_CARDS,
]);

/** Other published names of the same cards. */
const ALIASES: Record<string, string> = {
  us: 'visa',
  chargeDeclinedFraudulentDecline: 'chargeDeclinedFraudulent',
  radarBlock: 'chargeDeclinedFraudulent',
  threeDSecureRequired: 'authenticationRequired',
};

const names = new Map<string, string>();
for (const [name, { number }] of cards) if (!names.has(number)) names.set(number, name);

/** @returns the name of the test card, undefined for any other number */
export function cardByNumber(number: string): string | undefined {
  return names.get(number);
}

/**
 * @param id a reusable test ID, such as `tok_visa`, `tok_visa_chargeDeclined`, or `pm_card_visa`
 * @returns the name of the test card, undefined for any other ID
 */
export function cardByTestId(id: string): string | undefined {
  const suffix = /^(?:tok|pm_card)_(?:visa_(?=charge))?(\w+)$/.exec(id)?.[1] ?? '';
  const name = Object.hasOwn(ALIASES, suffix) ? ALIASES[suffix] : suffix;
  return name !== undefined && cards.has(name) ? name : undefined;
}

/** @throws Error for an unknown name */
export function testCard(name: string): TestCard {
  const found = cards.get(name);
  if (found === undefined) throw new Error(`No test card is named ${name}.`);
  return found;
}
