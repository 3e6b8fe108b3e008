import { describe, expect, it } from 'vitest';
import { readInstant, readLocalInstant } from './instant.ts';

const iso = (read: number | string) => (typeof read === 'number' ? new Date(read).toISOString() : read);

describe('readInstant', () => {
  it.each([
    ['2026-11-20T14:30:00-08:00', '2026-11-20T22:30:00.000Z'],
    ['2026-11-20T14:30Z', '2026-11-20T14:30:00.000Z'],
    ['2026-11-20 14:30:00+0530', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T14:30:00+05', '2026-11-20T09:30:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    // Truncated, because rounding would move it to the next month.
    ['2026-11-30T23:59:59.9999999Z', '2026-11-30T23:59:59.999Z'],
  ])('reads %s', (text, expected) => {
    expect(iso(readInstant(text))).toBe(expected);
  });

  it.each([
    '2026-11-20',
    '2026-11-20T14:30:00',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T14:60:00Z',
    '2026-11-20T14:30:00+99:00',
    '1969-12-31T23:00:00Z',
    '+012026-11-20T14:30:00Z',
    'yesterday',
    '',
    '1763649000',
  ])('refuses %j', (text) => {
    expect(typeof readInstant(text)).toBe('string');
  });

  it.each([
    ['2026-11-20', 'America/Los_Angeles', '2026-11-20T08:00:00.000Z'],
    ['2026-07-01 09:00', 'America/Los_Angeles', '2026-07-01T16:00:00.000Z'],
    ['2026-11-20T09:00:00Z', 'America/Los_Angeles', '2026-11-20T09:00:00.000Z'],
    // This time is skipped when DST starts.
    ['2026-03-08 02:30', 'America/Los_Angeles', '2026-03-08T10:30:00.000Z'],
    // This time occurs twice when DST ends. The first one counts.
    ['2026-11-01 01:30', 'America/Los_Angeles', '2026-11-01T08:30:00.000Z'],
  ])('reads %s by the clock of %s', (text, zone, expected) => {
    expect(iso(readLocalInstant(text, zone))).toBe(expected);
  });

  it('rejects a date that does not exist', () => {
    expect(typeof readLocalInstant('2026-02-30', 'America/Los_Angeles')).toBe('string');
    expect(typeof readLocalInstant('tomorrow', 'America/Los_Angeles')).toBe('string');
  });
});
