import type { LatLng } from '#src/geo/geometry.ts';

/**
 * Where this device is, asked of the browser, which asks the person. The position stays in this page.
 * @throws Error whose message is for the person: what happened and what to do
 */
export function devicePosition(): Promise<LatLng> {
  return new Promise((resolve, reject) => {
    if (!('geolocation' in navigator)) {
      reject(new Error('This browser can’t tell its position. Type the point instead.'));
      return;
    }
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve([coords.latitude, coords.longitude]),
      ({ code }) => reject(new Error(reasons[code] ?? unknownReason)),
      { enableHighAccuracy: true, timeout: 10_000, maximumAge: 60_000 },
    );
  });
}

const unknownReason = 'This device couldn’t find its position. Try again outdoors, or type the point.';

/** By the codes of the Geolocation API: 1 denied, 2 unavailable, 3 timed out. */
const reasons: Record<number, string> = {
  1: 'This page isn’t allowed to see the device’s position. Allow it in the browser’s site settings, or type the point.',
  2: unknownReason,
  3: 'Finding the position took too long. Try again, or type the point.',
};
