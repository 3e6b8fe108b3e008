import { Temporal } from 'temporal-polyfill';
import { expect, it } from 'vitest';
import { monthZoneAt } from './month-zone.ts';

it.each([
  ['2026-10-31T21:59:59', 'America/Los_Angeles'],
  ['2026-10-31T22:00:00', 'Pacific/Honolulu'],
  ['2026-10-31T23:59:59', 'Pacific/Honolulu'],
  ['2026-11-01T00:00:00', 'America/Los_Angeles'],
  ['2026-11-01T22:30:00', 'America/Los_Angeles'],
  ['2026-12-31T22:30:00', 'Pacific/Honolulu'],
])('the month of a test does not end within two hours of %s', (local, zone) => {
  const now = Temporal.PlainDateTime.from(local).toZonedDateTime('America/Los_Angeles').toInstant();
  expect(monthZoneAt(now)).toBe(zone);
  const inZone = now.toZonedDateTimeISO(zone);
  expect(inZone.add({ hours: 1, minutes: 59 }).month).toBe(inZone.month);
});
