import type { Temporal } from 'temporal-polyfill';

/** @returns California's time zone. In the last two hours of its months, Hawaii's, where more of the month is left. */
export function monthZoneAt(now: Temporal.Instant): string {
  const california = now.toZonedDateTimeISO('America/Los_Angeles');
  const isEnding = california.add({ hours: 2 }).month !== california.month;
  return isEnding ? 'Pacific/Honolulu' : california.timeZoneId;
}
