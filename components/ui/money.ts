const usd = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** `$1,284.50`, or `credit of $12.00` below zero. */
export function formatCents(cents: number | bigint): string {
  // As text, because a sum from the database can be larger than a number represents exactly.
  const dollars = usd.format(`${cents < 0 ? -cents : cents}E-2` as Intl.StringNumericLiteral);
  return cents < 0 ? `credit of ${dollars}` : dollars;
}
