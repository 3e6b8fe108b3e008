/** What Node runs, in the checkout, to start the service as it is, with its answers kept. */
export const startCommand = ['--import', './e2e/support/recorded-responses.ts', 'src/server/start.ts'];
