/** One of the provider's three fields. */
export type CardFieldName = 'number' | 'expiry' | 'cvc';

/** The provider's form names a fault by these while one types; the service answers with the last three. */
const fields: Record<string, CardFieldName> = {
  incomplete_number: 'number',
  invalid_number: 'number',
  incomplete_expiry: 'expiry',
  invalid_expiry_month: 'expiry',
  invalid_expiry_year: 'expiry',
  invalid_expiry_month_past: 'expiry',
  invalid_expiry_year_past: 'expiry',
  incomplete_cvc: 'cvc',
  invalid_cvc: 'cvc',
  incorrect_number: 'number',
  expired_card: 'expiry',
  incorrect_cvc: 'cvc',
};

/** The field that a refusal is about; nothing when it is about the card as a whole. */
export function fieldOf(code: string | undefined): CardFieldName | undefined {
  return code ? fields[code] : undefined;
}

export const emptyWords: Record<CardFieldName, string> = {
  number: 'Enter the card number.',
  expiry: 'Enter the expiry date.',
  cvc: 'Enter the security code.',
};
