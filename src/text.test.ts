import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeControlChars, escapeCsvCell, readCredential, safeJson } from './text.ts';

const traps = [
  '\u001b[2J\u001b]0;title\u0007',
  '\u009b31m',
  'a\rb',
  'a\nb',
  '\u202egnp.exe',
  '\u2066x\u2069',
  '\u200f',
  'zero\u200bwidth',
  '\u2028',
  '\ufeffx',
  '\u{e0041}',
  '\u007f',
];

describe('untrusted text', () => {
  it.each(traps)('escapes terminal control characters: %j', (text) => {
    expect(escapeControlChars(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });

  it.each(traps)('round-trips through safe JSON without active characters: %j', (text) => {
    const json = safeJson({ name: text }, 0);
    expect(json).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(json)).toEqual({ name: text });
  });

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    ' =1',
    '"=1',
    '|x',
    '%x',
    '＋1',
    '－1',
    '＝1',
    '＠1',
  ])('is no formula in a cell: %j', (text) => {
    expect(escapeCsvCell(text).replace(/^"/, '')).toMatch(/^('|\\u\{)/);
  });

  it('leaves harmless text unchanged', () => {
    expect(escapeControlChars('Zoë’s Café 日本 – 5%')).toBe('Zoë’s Café 日本 – 5%');
    expect(escapeCsvCell('To the fair, 12.4 miles')).toBe('"To the fair, 12.4 miles"');
    expect(escapeCsvCell('say "hi"')).toBe('"say ""hi"""');
    expect(escapeCsvCell('a;b')).toBe('"a;b"');
    expect(escapeCsvCell('INV-1 = paid')).toBe('INV-1 = paid');
    expect(safeJson({ name: 'Zoë' })).toBe('{\n  "name": "Zoë"\n}');
  });

  it('round-trips any text through JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(safeJson(text))).toBe(text);
      }),
    );
  });
});

it.each([
  ['  secret\r\n', 'secret'],
  ['\ufeffsecret\u200b', 'secret'],
  ['sec\u00a0ret', 'secret'],
  ['\u200b', ''],
  [null, ''],
  [new Blob(['secret']), ''],
])('readCredential: reads %j as %j', (entered, credential) => {
  expect(readCredential(entered)).toBe(credential);
});
