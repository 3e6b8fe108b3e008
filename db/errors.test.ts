import { expect, test } from 'vitest';
import { isTransient, isUniqueViolation, isWrongPassword, violatesConstraint } from './errors.ts';

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

test('errors: a refused login or certificate says nothing about the statement, and a missing table does', () => {
  const codes = ['28P01', '28000', 'CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'];
  const more = ['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'];
  for (const code of [...codes, ...more, 'ERR_SSL_WRONG_VERSION_NUMBER'])
    expect([code, isTransient(failure({ code }))]).toEqual([code, true]);
  expect(isTransient(failure({ code: '42P01' }))).toBe(false);
});
