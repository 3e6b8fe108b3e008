/** Money is integer cents, converted from and to text without floating point. */

/** The maximum of one entry: a JSON number can represent the sum of nine million such entries exactly. */
export const entryCentsMax = 99_999_999_999n;

const decimal = /^(-?)(\d+)(?:\.(\d{1,2}))?$/;

/** @returns what is wrong with a dollar amount written as text, or undefined */
export function amountProblem(text: string): string | undefined {
  const [, , whole] = decimal.exec(text) ?? [];
  if (whole !== undefined) {
    return whole.replace(/^0+/, '').length > 9 ? 'The maximum amount is $999,999,999.99.' : undefined;
  }
  if (text === '') return 'Enter an amount, such as 12.50.';
  if (/^-?\d+\.\d{3,}$/.test(text)) return 'Use at most two decimal places.';
  if (/^-?[\d.,\s]*,[\d.,\s]*$/.test(text)) return 'Write the amount without commas, such as 1284.50.';
  return 'Use digits with up to two decimal places and no currency sign, such as 12.50.';
}

/**
 * @param text a dollar amount, `12`, `12.5`, `-12.50`
 * @throws RangeError when `amountProblem` finds one
 */
export function centsOf(text: string): bigint {
  const problem = amountProblem(text);
  const match = decimal.exec(text);
  if (problem || !match) throw new RangeError(problem);
  const [, sign, whole = '', fraction = ''] = match;
  const cents = BigInt(whole + fraction.padEnd(2, '0'));
  return sign === '-' ? -cents : cents;
}

/** `-12.50`, for files and programs. */
export function decimalOf(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const usd = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** `$1,284.50`, and `credit of $12.00` below zero, for people. */
export function dollarsOf(cents: number | bigint): string {
  // As text, because a sum from the database can be larger than a number represents exactly.
  const dollars = usd.format(`${cents < 0 ? -cents : cents}E-2` as Intl.StringNumericLiteral);
  return cents < 0 ? `credit of ${dollars}` : dollars;
}

/** @throws RangeError when the cents exceed 2^53, which the ledger prevents */
export function exactNumber(cents: bigint): number {
  const number = Number(cents);
  if (!Number.isSafeInteger(number))
    throw new RangeError('The sum exceeds 2^53 cents and can’t be represented exactly.');
  return number;
}
