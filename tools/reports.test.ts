import { expect, it } from 'vitest';
import { playwrightCounts, runCounts, vitestCounts } from './reports.ts';

it('vitestCounts: counts tests, and a file that fails to load as a failure', () => {
  const testResults = [
    { status: 'passed', assertionResults: [{}, {}] },
    { status: 'failed', assertionResults: [{}] },
    { status: 'failed', assertionResults: [] },
  ];
  const report = JSON.stringify({ numPassedTests: 2, numFailedTests: 1, testResults });
  expect(vitestCounts(report)).toEqual({ passed: 2, failed: 2 });
});

it('playwrightCounts: counts tests and errors outside tests', () => {
  const report = JSON.stringify({
    stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 3 },
    errors: [{}],
  });
  expect(playwrightCounts(report)).toEqual({ passed: 5, failed: 3 });
});

it.each([
  ['all passed', 0, { passed: 3, failed: 0 }, { passed: 3, failed: 0 }],
  ['some failed', 1, { passed: 3, failed: 2 }, { passed: 3, failed: 2 }],
  ['the runner failed without a failed test', 1, { passed: 3, failed: 0 }, { passed: 3, failed: 1 }],
  ['the runner was killed', null, { passed: 3, failed: 0 }, { passed: 3, failed: 1 }],
  ['no tests ran', 0, { passed: 0, failed: 0 }, { passed: 0, failed: 1 }],
  ['the report is missing', 1, undefined, { passed: 0, failed: 1 }],
])('tells a failure when %s', (_case, exitCode, read, expected) => {
  expect(runCounts(exitCode, read)).toEqual(expected);
});
