const miles: Intl.NumberFormatOptions = { style: 'unit', unit: 'mile', unitDisplay: 'long' };
const measured = new Intl.NumberFormat('en-US', {
  ...miles,
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const agreed = new Intl.NumberFormat('en-US', miles);

/** A distance that was measured: `3.2 miles`, always with one decimal. */
export function measuredMiles(distance: number): string {
  return measured.format(distance);
}

/** A distance that was set, of a price or as a limit: `20 miles`, `1 mile`. */
export function agreedMiles(distance: number): string {
  return agreed.format(distance);
}
