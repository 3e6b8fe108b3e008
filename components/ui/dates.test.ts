import { expect, it, vi } from 'vitest';
import { zoneName } from './dates.tsx';

it.each([
  ['America/Los_Angeles', 'Pacific time'],
  ['America/Phoenix', 'Mountain Standard Time'],
  ['Pacific/Honolulu', 'Hawaii-Aleutian Standard Time'],
  // Their rules have changed since 1970.
  ['America/Detroit', 'Eastern time'],
  ['America/Juneau', 'Alaska time'],
  ['America/Kentucky/Monticello', 'Eastern time'],
  ['Europe/Berlin', 'Central European time'],
])('zoneName: %s is %s', (timeZone, expected) => {
  expect(zoneName(timeZone)).toBe(expected);
});

it.each([
  // The last hour of summer time.
  ['Europe/Berlin', '2027-10-31T00:30:00Z', 'Central European time'],
  ['America/Detroit', '2027-11-07T05:30:00Z', 'Eastern time'],
  // Its rules differ from those of Denver.
  ['America/Edmonton', '2026-12-01T00:00:00Z', 'Mountain time'],
])('zoneName: %s at %s is %s, without a place', (timeZone, now, expected) => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
  try {
    expect(zoneName(timeZone)).toBe(expected);
  } finally {
    vi.useRealTimers();
  }
});
