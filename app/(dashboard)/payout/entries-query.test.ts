import { expect, it } from 'vitest';
import { entriesHref } from '#components/payout/entries-address.ts';
import { entriesQuery, entryFilter } from './entries-query.ts';
import { monthChoices } from './month-choices.ts';

it('reads what an address asks for', () => {
  const query = entriesQuery({ kind: 'credit', month: '2026-11', search: ' harbor ', after: '42' });
  expect(query).toEqual({ kind: 'credit', month: '2026-11', search: 'harbor', after: 42 });
  expect(entryFilter(query)).toEqual({ kind: 'credit', month: '2026-11-01', text: 'harbor' });
});

it.each([
  { kind: 'refund' },
  { kind: ['credit', 'payment'] },
  { month: '2026-13' },
  { month: '2026-11-01' },
  { search: '   ' },
  { search: 'x'.repeat(101) },
  { after: '-1' },
  { after: '1.5' },
  { after: '9007199254740993' },
  { after: "1' or '1'='1" },
  { before: '-1' },
])('asks for nothing by %j', (parameters) => {
  expect(Object.values(entriesQuery(parameters)).filter((part) => part !== undefined)).toEqual([]);
});

it('writes the address that it reads', () => {
  expect(entriesHref('/payout', {})).toBe('/payout');
  const href = entriesHref('/payout', {
    kind: 'delivery',
    month: undefined,
    search: '50% & more',
    after: 7,
  });
  const parameters = Object.fromEntries(new URL(href, 'http://here.test').searchParams);
  expect(entriesQuery(parameters)).toEqual({ kind: 'delivery', search: '50% & more', after: 7 });
});

it('offers the next month and two years, by the city’s clock', () => {
  // Still November in Los Angeles.
  const months = monthChoices(new Date('2026-12-01T05:00:00Z'), 'America/Los_Angeles');
  expect(months.slice(0, 3)).toEqual(['2026-12', '2026-11', '2026-10']);
  expect(months.at(-1)).toBe('2024-12');
});

it('keeps a chosen month among the choices, however old', () => {
  expect(monthChoices(new Date('2026-11-15T00:00:00Z'), 'UTC', '2019-02').at(-1)).toBe('2019-02');
});
