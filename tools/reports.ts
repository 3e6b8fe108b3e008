/** The numbers of passed and failed tests, from the reports of Vitest and Playwright. */
export type Counts = { passed: number; failed: number };

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
};
type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number };
  errors: unknown[];
};

/**
 * @param text Vitest's JSON report
 * @returns the counts; a file that can't be loaded is one failure
 */
export function vitestCounts(text: string): Counts {
  const report = JSON.parse(text) as VitestReport;
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length };
}

/**
 * @param text Playwright's JSON report
 * @returns the counts; a test that passed only on a retry counts as failed, and so does an error outside of tests
 */
export function playwrightCounts(text: string): Counts {
  const { stats, errors } = JSON.parse(text) as PlaywrightReport;
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length };
}

/**
 * Counts a run that failed without a failed test, or ran no test, as failed.
 * @param exitCode of the runner
 * @param read the report, undefined if the runner wrote none
 */
export function runCounts(exitCode: number | null, read: Counts | undefined): Counts {
  const { passed, failed } = read ?? { passed: 0, failed: 0 };
  const isSilentFailure = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: isSilentFailure ? 1 : failed };
}
