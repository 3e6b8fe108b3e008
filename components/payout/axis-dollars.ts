const currency = { style: 'currency', currency: 'USD' } as const;
const short = new Intl.NumberFormat('en-US', { ...currency, notation: 'compact', maximumFractionDigits: 2 });
const withCents = new Intl.NumberFormat('en-US', currency);

/** `$500`, `$1.25K`, `$2.50`, and for what is in one's favor `$20 credit`: an axis has little room. */
export function axisDollars(amountCents: number): string {
  const format = amountCents % 100 === 0 ? short : withCents;
  const dollars = format.format(Math.abs(amountCents) / 100);
  return amountCents < 0 ? `${dollars} credit` : dollars;
}
