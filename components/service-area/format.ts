import type { Position } from '#src/geo/position.ts';

/** Four decimals are about ten meters. */
export function formatPosition([longitude, latitude]: Position): string {
  return `${latitude.toFixed(4)}, ${longitude.toFixed(4)}`;
}

/** How to fix a text that can't be read. */
export const positionHelp = (hasSearch: boolean) =>
  hasSearch
    ? 'Enter an address, or a latitude and longitude.'
    : 'Enter a latitude and longitude, as in the example above. Western longitudes start with a minus sign.';

export const noAddresses = 'No address matches. Add the street number and the city, or enter coordinates.';
export const searchFailed =
  'The address search isn’t working right now. Enter coordinates, or choose a point on the map.';

/**
 * Reads coordinates as people type or paste them, latitude first: `33.4484, -112.0740`, with a comma, a space, or both.
 * @returns undefined for any other text, and for coordinates out of range
 */
export function parsePosition(text: string): Position | undefined {
  // Web pages often show a typographic minus or a dash.
  const plain = text.trim().replace(/[−–]/g, '-');
  // No two neighboring parts match the same space, because trying all divisions of many spaces would take minutes.
  const pattern = /^\(?\s*([+-]?\d{1,3}(?:\.\d+)?)°?(?:\s*,\s*|\s+)([+-]?\d{1,3}(?:\.\d+)?)°?\s*\)?$/;
  const match = pattern.exec(plain);
  const latitude = Number(match?.[1]);
  const longitude = Number(match?.[2]);
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [longitude, latitude] : undefined;
}

const miles: Intl.NumberFormatOptions = { style: 'unit', unit: 'mile', unitDisplay: 'long' };
const oneDecimal = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const measuredMiles = new Intl.NumberFormat('en-US', { ...miles, ...oneDecimal });
const setMiles = new Intl.NumberFormat('en-US', miles);

/** A measured distance, always with one decimal: `3.2 miles`. */
export function formatMeasuredMiles(distance: number): string {
  return measuredMiles.format(distance);
}

/** A configured distance, such as a price step or a limit: `20 miles`, `1 mile`. */
export function formatSetMiles(distance: number): string {
  return setMiles.format(distance);
}

/** An area, of which only the first digits are meaningful: `0.38 square miles`, `1 square mile`, `1,204 square miles`. */
export function formatSquareMiles(area: number): string {
  const digits = area < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 };
  const text = area.toLocaleString('en-US', digits);
  return `${text} square ${text === '1' ? 'mile' : 'miles'}`;
}

/** `up to 3 miles`, `over 3, up to 6 miles` */
export function formatSpan(from: number | undefined, to: number): string {
  return from === undefined ? `up to ${formatSetMiles(to)}` : `over ${from}, up to ${formatSetMiles(to)}`;
}
