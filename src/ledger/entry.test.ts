import { describe, expect, it } from 'vitest';
import {
  checkEntryTexts,
  descriptionProblem,
  entryKinds,
  kindProblem,
  referenceProblem,
  signedCents,
} from './entry.ts';

describe('amount of an entry', () => {
  it.each([
    ['delivery', [true, true, false], 5n],
    ['adjustment', [true, false, true], 5n],
    ['credit', [true, false, false], -5n],
    ['payment', [true, false, false], -5n],
  ] as const)('%s: whether 5, 0, and -5 cents are allowed, and the sign', (kind, allowed, stored) => {
    expect([5n, 0n, -5n].map((cents) => kindProblem(kind, cents))).toEqual(
      allowed.map((isAllowed) => (isAllowed ? undefined : expect.stringMatching(/\.$/))),
    );
    expect(signedCents(kind, 5n)).toBe(stored);
  });

  it('every kind is tested', () => expect(entryKinds).toHaveLength(4));
});

describe('texts of an entry', () => {
  it('a description has at most 500 characters, a reference 190', () => {
    expect([500, 501].map((length) => descriptionProblem('x'.repeat(length)))).toEqual([
      undefined,
      'Must have at most 500 characters.',
    ]);
    expect([190, 191].map((length) => referenceProblem('x'.repeat(length)))).toEqual([
      undefined,
      'Must have at most 190 characters.',
    ]);
  });

  it.each(['', ' ', 'INV-1 ', '\u00a0INV-1', 'a\u202eb', 'a\0', '\ud800', 'reversal:', 'reversal:INV-1'])(
    'refuses the reference %j',
    (reference) => expect(referenceProblem(reference)).toMatch(/\.$/),
  );

  it.each(['a\0b', 'a\ud800b'])('refuses the description %j', (description) => {
    expect(descriptionProblem(description)).toMatch(/\.$/);
  });

  it('names both at once when both are invalid', () => {
    expect(() => checkEntryTexts({ description: 'a\0', reference: '' })).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: 'The entry is invalid, so nothing was added.',
        details: [
          { param: 'reference', message: 'Must not be empty.' },
          expect.objectContaining({ param: 'description' }),
        ],
      }),
    );
    expect(() => checkEntryTexts({ description: '', reference: 'INV-1' })).not.toThrow();
  });
});
