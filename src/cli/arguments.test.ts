import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { parseAmount, parseCount, parseDuration, parseKind, parseMiles, parseMonth } from './arguments.ts';

const parsers: [string, (text: string) => unknown, [string, unknown][], string[]][] = [
  ['an amount', parseAmount, [['12.50', 1_250n]], ['', '1.234', '$1']],
  ['miles', parseMiles, [['12.4', 12.4]], ['', '-1', 'x']],
  ['a kind', parseKind, [['payment', 'payment']], ['', 'Payment', 'gift']],
  [
    'a duration',
    parseDuration,
    [
      ['0', 0],
      ['30s', 30],
      ['5m', 300],
      ['2h', 7_200],
      ['7d', 604_800],
      ['999999s', 999_999],
    ],
    ['', '2', 'h', '1w', '2 h', '-1h', '1.5h', '1000000s'],
  ],
  [
    'a count',
    parseCount,
    [
      ['1', 1],
      ['999999999999999', 999_999_999_999_999],
    ],
    ['', '0', '-1', '1.5', 'x', '1000000000000000'],
  ],
  [
    'a month',
    parseMonth,
    [
      ['1970-01', '1970-01-01'],
      ['2099-12', '2099-12-01'],
    ],
    ['', '1969-12', '2100-01', '2026-00', '2026-13', '2026-1', '2026-11-01'],
  ],
];

describe.each(parsers)('operator arguments: %s', (_, parse, valid, invalid) => {
  it.each(valid)('%s', (text, value) => expect(parse(text)).toEqual(value));
  it.each(invalid)('%j is a usage error', (text) => expect(() => parse(text)).toThrow(InvalidArgumentError));
});
