import { expect, it } from 'vitest';
import { zoneName } from './dates.tsx';

it.each([
  ['America/Los_Angeles', 'Pacific time'],
  ['America/Phoenix', 'Mountain Standard Time'],
  ['Pacific/Honolulu', 'Hawaii-Aleutian Standard Time'],
])('zoneName: %s is %s', (timeZone, expected) => {
  expect(zoneName(timeZone)).toBe(expected);
});
