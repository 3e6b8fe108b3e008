import { expect, it } from 'vitest';
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
