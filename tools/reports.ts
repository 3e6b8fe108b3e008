/** How many tests passed and failed, as the runners' own reports say. */
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
 * @returns the counts; a file that could not even be loaded is one failure
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
 * @returns the counts; a test that passed only when tried again has failed, and so has each error outside of tests
 */
export function playwrightCounts(text: string): Counts {
  const { stats, errors } = JSON.parse(text) as PlaywrightReport;
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length };
}

/**
 * A run that failed without a failed test, or that tested nothing, must not look like a success.
 * @param exitCode of the runner
 * @param read the report, undefined where the runner wrote none
 */
export function runCounts(exitCode: number | null, read: Counts | undefined): Counts {
  const { passed, failed } = read ?? { passed: 0, failed: 0 };
  const isSilentFailure = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: isSilentFailure ? 1 : failed };
}
