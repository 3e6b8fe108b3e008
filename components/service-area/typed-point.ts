import type { LatLng } from '#src/geo/geometry.ts';

/** What to do where a text is no point. */
export const typedPointError =
  'Type a latitude and a longitude, as in the example above. Western longitudes begin with a minus.';

/**
 * A point as people type or paste it: `33.4484, -112.0740`, with a comma, a space or both between.
 * @returns undefined for anything else, and for what is not on the globe
 */
export function typedPoint(text: string): LatLng | undefined {
  const match = /^\s*\(?\s*([+-]?\d{1,3}(?:\.\d+)?)°?\s*(?:,|\s)\s*([+-]?\d{1,3}(?:\.\d+)?)°?\s*\)?\s*$/.exec(
    // A minus copied from a web page is often a typographer's one.
    text.replace(/[−–]/g, '-'),
  );
  const lat = Number(match?.[1]);
  const lng = Number(match?.[2]);
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? [lat, lng] : undefined;
}

/** `33.4484, -112.0740`: four decimals are about ten metres. */
export function pointText([lat, lng]: LatLng): string {
  return `${lat.toFixed(4)}, ${lng.toFixed(4)}`;
}
