const short = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
});

/** `$500`, `$2.5K`, and for what is in one's favor `$20 credit`: an axis has little room. */
export function axisDollars(amountCents: number): string {
  const dollars = short.format(Math.abs(amountCents) / 100);
  return amountCents < 0 ? `${dollars} credit` : dollars;
}
