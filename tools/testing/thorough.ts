/** Whether to run what `npm test` leaves to CI and to the full run: see docs/testing.md. */
export const isThorough = Boolean(process.env.CI || process.env.FULL);
