import { describe, expect, it } from 'vitest';
import { copyLine } from './import-queries.ts';
import { defaultDescription, headProblem, milesProblem, readImportRow } from './import-row.ts';

const at = '2026-11-20T14:30:00Z';
const sound = { username: 'acme', kind: 'delivery', amount: '12.50', at };
const read = (cells: object) => readImportRow(7, { ...sound, ...cells });
const problemsOf = (cells: object) => {
  const row = read(cells);
  if (!Array.isArray(row)) return row;
  for (const { message } of row) expect(message).toMatch(/\.$/);
  return row.map(({ line, column }) => `${line} ${column}`);
};

describe('charge import: the first line', () => {
  it.each([
    [['username', 'at', 'amount'], undefined],
    [['reference', 'miles', 'at', 'username', 'kind', 'description'], undefined],
    [['username', 'amount'], /column at is missing/],
    [['at', 'amount'], /column username is missing/],
    [['amount'], /column username and at is missing/],
    [['username', 'at', 'reference'], /must have an amount column, or a miles column/],
    [['username', 'at', 'amount', 'at'], /column at appears twice/],
    [
      ['username', 'at', 'amount', 'no\u0007te', 'x'],
      /Unknown column "no\\u\{7\}te", "x"\. The columns are username, kind, /,
    ],
  ])('%j', (columns, problem) => {
    if (problem) expect(headProblem(columns)).toMatch(problem);
    else expect(headProblem(columns)).toBeUndefined();
  });
});

describe('charge import: a row', () => {
  const row = { line: 7, username: 'acme', miles: null, takesEffectAt: Date.parse(at), reference: null };

  it.each([
    [{}, { kind: 'delivery', amountCents: 1_250n, description: 'Delivery' }],
    [{ kind: '' }, { kind: 'delivery', amountCents: 1_250n, description: 'Delivery' }],
    [{ amount: '0' }, { kind: 'delivery', amountCents: 0n, description: 'Delivery' }],
    [{ kind: 'credit' }, { kind: 'credit', amountCents: -1_250n, description: 'Credit' }],
    [{ kind: 'payment' }, { kind: 'payment', amountCents: -1_250n, description: 'Payment' }],
    [
      { kind: 'adjustment', amount: '-1' },
      { kind: 'adjustment', amountCents: -100n, description: 'Adjustment' },
    ],
    [
      { amount: '', miles: '9.4' },
      { kind: 'delivery', amountCents: null, miles: 9.4, description: 'Delivery, 9.4 miles' },
    ],
    [
      { description: 'To the fair', reference: 'INV-1' },
      { kind: 'delivery', amountCents: 1_250n, description: 'To the fair', reference: 'INV-1' },
    ],
  ])('reads %j', (cells, expected) => {
    expect(read(cells)).toEqual({ ...row, ...expected });
  });

  it.each([
    [{ username: '' }, ['7 username']],
    [{ username: 'ac\0me' }, ['7 username']],
    [{ kind: 'Delivery' }, ['7 kind']],
    [{ amount: '' }, ['7 amount']],
    [{ amount: '-1' }, ['7 amount']],
    [{ kind: 'payment', amount: '0' }, ['7 amount']],
    [{ amount: '', miles: '9,4' }, ['7 miles']],
    [{ miles: '9.4' }, ['7 miles']],
    [{ kind: 'credit', amount: '', miles: '9.4' }, ['7 miles']],
    [{ at: '2026-11-20' }, ['7 at']],
    [{ description: 'a\0b' }, ['7 description']],
    [{ description: '\ufffd' }, ['7 description']],
    [{ reference: 'reversal:INV-1' }, ['7 reference']],
    [{ username: '', kind: 'gift', at: '' }, ['7 username', '7 kind', '7 at']],
  ])('refuses %j', (cells, problems) => {
    expect(problemsOf(cells)).toEqual(problems);
  });

  it('is priced by miles in a file without amounts', () => {
    const priced = (miles: string) => readImportRow(7, { username: 'acme', at, miles });
    expect(priced('9.4')).toMatchObject({ amountCents: null, miles: 9.4 });
    expect(priced('')).toMatchObject([{ column: 'amount', message: 'Enter an amount, such as 12.50.' }]);
  });

  it('lists the kinds for an unknown one', () => {
    const message = 'Must be one of delivery, adjustment, credit, payment.';
    expect(read({ kind: 'gift' })).toEqual([{ line: 7, column: 'kind', message }]);
  });

  it('has a default description for every kind', () => {
    expect(defaultDescription(undefined, null)).toBe('');
    expect(defaultDescription('payment', null)).toBe('Payment');
    expect(defaultDescription('adjustment', null)).toBe('Adjustment');
  });
});

describe('miles', () => {
  it.each(['0', '12.4', '0.123456', '25000', '25000.000000'])('takes %s', (text) => {
    expect(milesProblem(text)).toBeUndefined();
  });

  it.each(['', '-1', '.5', '5.', '0.1234567', '25000.1', '100000', '1e3', '12,4', ' 1'])(
    'refuses %j',
    (text) => {
      expect(milesProblem(text)).toMatch(/\.$/);
    },
  );
});

it('charge import: a line of COPY escapes tabs, line ends, and backslashes', () => {
  expect(copyLine([1, null, 2n, 'a\tb\nc\rd\\N', 'plain'])).toBe('1\t\\N\t2\ta\\tb\\nc\\rd\\\\N\tplain\n');
});
