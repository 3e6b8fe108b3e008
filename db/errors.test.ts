import { expect, test } from 'vitest';
import { isUniqueViolation, isWrongPassword, violatesConstraint } from './errors.ts';

const failure = (fields: object) =>
  new Error('Failed query', { cause: Object.assign(new Error('x'), fields) });

test('errors: a violated constraint is told from others', () => {
  const violated = failure({ code: '23514', constraint_name: 'ledger_balance_exact' });
  expect(violatesConstraint(violated, 'ledger_balance_exact')).toBe(true);
  expect(violatesConstraint(violated, 'another')).toBe(false);
  expect(violatesConstraint(new Error('x'), 'ledger_balance_exact')).toBe(false);
});

test('errors: a wrong password and a violated unique index are told from each other', () => {
  const [password, index] = [failure({ code: '28P01' }), failure({ code: '23505' })];
  expect([password, index].map(isWrongPassword)).toEqual([true, false]);
  expect([password, index].map(isUniqueViolation)).toEqual([false, true]);
});
