import { describe, expect, it } from 'vitest';
import { sitePath } from './site-path.ts';

describe('sitePath', () => {
  it.each(['/', '/cards', '/payout?month=2026-11', '/api-access'])('keeps %s', (path) => {
    expect(sitePath(path)).toBe(path);
  });

  it.each([
    'https://elsewhere.example/',
    '//elsewhere.example/cards',
    '/\\elsewhere.example',
    '/\t/elsewhere.example',
    '/.//elsewhere.example',
    'javascript:alert(1)',
    'cards',
    '',
    '/sign-in?next=/sign-in',
    '/api/schedule/v1/customers/detail',
    undefined,
    ['/cards'],
  ])('leads home from %j', (path) => {
    expect(sitePath(path)).toBe('/');
  });
});
