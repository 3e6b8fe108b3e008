import { describe, expect, it, vi } from 'vitest';
import { formatInstant, readInstant, readLocalInstant } from './instant.ts';

const iso = (read: number | string) => (typeof read === 'number' ? new Date(read).toISOString() : read);

describe('readInstant', () => {
  it.each([
    ['2026-11-20T14:30:00-08:00', '2026-11-20T22:30:00.000Z'],
    ['2026-11-20T14:30Z', '2026-11-20T14:30:00.000Z'],
    ['2026-11-20 14:30:00+0530', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T14:30:00+05', '2026-11-20T09:30:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2026-11-20t14:30:00z', '2026-11-20T14:30:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['2099-12-31T23:59:59,5Z', '2099-12-31T23:59:59.500Z'],
    ['2026-01-01T00:00:00+15:59', '2025-12-31T08:01:00.000Z'],
    ['2026-01-31T23:59:59.05-00:30', '2026-02-01T00:29:59.050Z'],
    // Truncated, because rounding would move it to the next month.
    ['2026-11-30T23:59:59.9999999Z', '2026-11-30T23:59:59.999Z'],
  ])('reads %s', (text, expected) => {
    expect(iso(readInstant(text))).toBe(expected);
  });

  const offset = 'Add the offset from UTC, such as 2026-11-20T14:30:00-08:00.';
  const impossible = 'This date or time doesn’t exist.';

  it.each([
    [offset, ['2026-11-20', '2026-11-20T14:30:00', '2026-11-20Z', '2026-11-20-08:00']],
    [
      `Must be a time. ${offset}`,
      ['', 'now', 'yesterday', '1763649000', '+012026-11-20T14:30:00Z', '2026-1-2'],
    ],
    [
      `Must be a time. ${offset}`,
      ['2026-11-20T14Z', '2026-11-20T14:30:00ZZ', '2026-11-20T14:30:00.1234567890Z'],
    ],
    [
      'The year must be from 1970 to 2099.',
      ['1969-12-31T23:00:00Z', '2100-01-01T00:00:00Z', '0000-01-01T00:00Z'],
    ],
    [
      impossible,
      ['2026-02-29T00:00:00Z', '2026-11-31T00:00:00Z', '2026-11-00T00:00:00Z', '2025-12-32T00:00:00Z'],
    ],
    [impossible, ['2026-00-15T00:00:00Z', '2026-13-01T00:00:00Z']],
    [impossible, ['2026-11-20T24:00:00Z', '2026-11-20T14:60:00Z', '2026-11-20T14:30:60Z']],
    [impossible, ['2026-11-20T14:30:00+16:00', '2026-11-20T14:30:00+99:00', '2026-11-20T14:30:00-08:60']],
  ])('refuses with the sentence %s: %j', (sentence, texts) => {
    for (const text of texts) expect([text, readInstant(text)]).toEqual([text, sentence]);
  });
});

describe('readLocalInstant', () => {
  it.each([
    ['2026-11-20', 'America/Los_Angeles', '2026-11-20T08:00:00.000Z'],
    ['2026-07-01 09:00', 'America/Los_Angeles', '2026-07-01T16:00:00.000Z'],
    ['2026-07-01T09:00:01,25', 'America/Los_Angeles', '2026-07-01T16:00:01.250Z'],
    ['2026-11-20T09:00:00Z', 'America/Los_Angeles', '2026-11-20T09:00:00.000Z'],
    // This time is skipped when DST starts.
    ['2026-03-08 02:30', 'America/Los_Angeles', '2026-03-08T10:30:00.000Z'],
    // This time occurs twice when DST ends. The first one counts.
    ['2026-11-01 01:30', 'America/Los_Angeles', '2026-11-01T08:30:00.000Z'],
  ])('reads %s by the clock of %s', (text, zone, expected) => {
    expect(iso(readLocalInstant(text, zone))).toBe(expected);
  });

  it.each([
    ['2026-02-30', 'This date or time doesn’t exist.'],
    ['2026-11-20 24:00', 'This date or time doesn’t exist.'],
    ['1969-12-31', 'The year must be from 1970 to 2099.'],
    ['2100-01-01 00:00', 'The year must be from 1970 to 2099.'],
    ['tomorrow', expect.stringMatching(/^Must be a time\./)],
    ['', expect.stringMatching(/^Must be a time\./)],
  ])('refuses %j', (text, sentence) => {
    expect(readLocalInstant(text, 'America/Los_Angeles')).toEqual(sentence);
  });

  it('reads now', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_795_000_000_123 });
    expect(readLocalInstant('now', 'America/Los_Angeles')).toBe(1_795_000_000_123);
    vi.useRealTimers();
  });
});

describe('formatInstant', () => {
  it('writes the offset of the zone, to the second', () => {
    const instant = new Date('2026-07-01T00:30:09.999Z');
    expect(formatInstant(instant)).toBe('2026-07-01T00:30:09+00:00');
    expect(formatInstant(instant, 'America/Los_Angeles')).toBe('2026-06-30T17:30:09-07:00');
    expect(formatInstant(instant, 'Asia/Kathmandu')).toBe('2026-07-01T06:15:09+05:45');
  });
});
