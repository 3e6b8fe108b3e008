import type { DocsPage } from '#components/docs/block.ts';
import { cardRefusals } from '#src/api/operations/card-refusals.ts';
import type { DocsContext } from './document.ts';

type TestCard = {
  number: string;
  token: string;
  /** A brand that is added, or the refusal. */
  outcome: string;
};

/** The card-payment provider's published test cards. */
export const testCards: TestCard[] = [
  { number: '4242424242424242', token: 'tok_visa', outcome: 'visa' },
  { number: '4000056655665556', token: 'tok_visa_debit', outcome: 'visa' },
  { number: '5555555555554444', token: 'tok_mastercard', outcome: 'mastercard' },
  { number: '5105105105105100', token: 'tok_mastercard_prepaid', outcome: 'mastercard' },
  { number: '378282246310005', token: 'tok_amex', outcome: 'amex' },
  { number: '6011111111111117', token: 'tok_discover', outcome: 'discover' },
  { number: '3056930009020004', token: 'tok_diners', outcome: 'diners' },
  { number: '3566002020360505', token: 'tok_jcb', outcome: 'jcb' },
  { number: '6200000000000005', token: 'tok_unionpay', outcome: 'unionpay' },
  { number: '4000000000000002', token: 'tok_visa_chargeDeclined', outcome: 'card_declined' },
  {
    number: '4000000000009995',
    token: 'tok_visa_chargeDeclinedInsufficientFunds',
    outcome: 'insufficient_funds',
  },
  { number: '4000000000009987', token: 'tok_visa_chargeDeclinedLostCard', outcome: 'card_declined' },
  { number: '4000000000009979', token: 'tok_visa_chargeDeclinedStolenCard', outcome: 'card_declined' },
  {
    number: '4000000000006975',
    token: 'tok_visa_chargeDeclinedVelocityLimitExceeded',
    outcome: 'card_velocity_exceeded',
  },
  { number: '4000000000000069', token: 'tok_chargeDeclinedExpiredCard', outcome: 'expired_card' },
  { number: '4000000000000127', token: 'tok_chargeDeclinedIncorrectCvc', outcome: 'incorrect_cvc' },
  { number: '4000000000000119', token: 'tok_chargeDeclinedProcessingError', outcome: 'processing_error' },
  { number: '4100000000000019', token: 'tok_visa_chargeDeclinedFraudulent', outcome: 'card_declined' },
  { number: '4000002760003184', token: 'tok_threeDSecure2Required', outcome: 'authentication_required' },
];

const spaced = (number: string) =>
  number.length === 15 ? number.replace(/^(.{4})(.{6})/, '$1 $2 ') : number.replace(/(.{4})(?=.)/g, '$1 ');

function outcomeWords(outcome: string): string {
  if (!(outcome in cardRefusals)) return `Added, \`brand\` is \`${outcome}\``;
  const { code } = cardRefusals[outcome as keyof typeof cardRefusals];
  return `[Refused](/docs/errors#refused-${outcome}) with \`${code}\``;
}

export function sandboxPage({ settings }: DocsContext): DocsPage {
  const now =
    settings.mode === 'live'
      ? 'This service runs with live keys: no test number and no test token works here.'
      : settings.PAYMENTS === 'sandbox'
        ? 'This service runs with the sandbox: a stand-in for the card-payment provider, on the same machine. No bank is asked and no money moves.'
        : 'This service runs with the card-payment provider’s test keys: no bank is asked and no money moves.';
  return {
    slug: 'sandbox',
    group: 'Guides',
    title: 'Sandbox and test cards',
    summary: 'Numbers and tokens that stand for each outcome.',
    blocks: [
      { kind: 'text', text: now },
      {
        kind: 'text',
        text: 'Type a number into the card form of the dashboard, with any date ahead and any security code, or post its token to [add a card](/docs/add-a-card). Never post a number: it is [refused](/docs/errors#card_number_in_request), test numbers too.',
      },
      {
        kind: 'table',
        head: ['Number, for the form', 'Token, for the API', 'What happens'],
        rows: testCards.map(({ number, token, outcome }) => ({
          cells: [`\`${spaced(number)}\``, `\`${token}\``, outcomeWords(outcome)],
        })),
      },
      {
        kind: 'list',
        items: [
          'A token made in the browser works once. The test tokens can be posted again after their card was removed, and then stand for a fresh one.',
          `Refused cards count: after ${settings.LIMIT_DECLINES_PER_HOUR} in an hour, adding is [429](/docs/errors#too_many_declines) for a while.`,
          'Keys say where they belong: `key_test_…` here, `key_live_…` where real cards are charged.',
        ],
      },
    ],
  };
}
