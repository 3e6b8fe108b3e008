import { describe, expect, it } from 'vitest';
import { entryFilter, hasMonth, monthChoices, parseTransactionsQuery } from './transactions-query.ts';
import { transactionsUrl } from './transactions-url.ts';

describe('parseTransactionsQuery', () => {
  it('reads the filter and the page', () => {
    const query = parseTransactionsQuery({
      type: 'credit',
      month: '2026-11',
      search: ' harbor ',
      after: '42',
    });
    expect(query).toEqual({ type: 'credit', month: '2026-11', search: 'harbor', after: 42 });
    expect(entryFilter(query)).toEqual({ kind: 'credit', month: '2026-11-01', text: 'harbor' });
  });

  it.each([
    { type: 'refund' },
    { type: ['credit', 'payment'] },
    { month: '2026-13' },
    { month: '0000-05' },
    { month: '2026-11-01' },
    { search: '   ' },
    { search: 'x'.repeat(101) },
    { search: 'harbor\0' },
    { after: '-1' },
    { after: '1.5' },
    { after: '9007199254740993' },
    { after: "1' or '1'='1" },
    { before: '-1' },
  ])('ignores the invalid %j', (parameters) => {
    const values = Object.values(parseTransactionsQuery(parameters));
    expect(values.filter((value) => value !== undefined)).toEqual([]);
  });

  it('takes a search of 100 characters', () => {
    expect(parseTransactionsQuery({ search: 'x'.repeat(100) })).toEqual({ search: 'x'.repeat(100) });
  });

  it('parses the URL of transactionsUrl', () => {
    expect(transactionsUrl({})).toBe('/payout');
    const url = transactionsUrl({
      type: 'delivery',
      month: undefined,
      search: '50% & more',
      after: 7,
    });
    const parameters = Object.fromEntries(new URL(url, 'http://here.test').searchParams);
    expect(parseTransactionsQuery(parameters)).toEqual({ type: 'delivery', search: '50% & more', after: 7 });
  });
});

describe('monthChoices', () => {
  it("lists the next month to the first transaction's in the city's time zone", () => {
    // Still November in Los Angeles.
    const months = monthChoices(new Date('2026-12-01T05:00:00Z'), 'America/Los_Angeles', '2019-02');
    expect(months.slice(0, 3)).toEqual(['2026-12', '2026-11', '2026-10']);
    expect(months.at(-1)).toBe('2019-02');
  });

  it.each([undefined, '2026-11', '2027-04'])('lists this month and the next if the first is %s', (first) => {
    expect(monthChoices(new Date('2026-11-15T00:00:00Z'), 'UTC', first)).toEqual(['2026-12', '2026-11']);
  });
});

it.each([
  ['1999-04', '1999-05', false],
  ['1999-05', '1999-05', true],
  ['2026-12', '1999-05', true],
  ['2027-01', '1999-05', false],
  ['2026-10', undefined, false],
  ['2026-11', undefined, true],
  ['2026-11', '2027-04', true],
])('%s can have transactions if the first is in %s: %s', (month, first, expected) => {
  expect(hasMonth(month, new Date('2026-11-15T00:00:00Z'), 'UTC', first)).toBe(expected);
});
