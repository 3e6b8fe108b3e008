/** Arguments of Node.js that start the service and record its responses. */
export const startCommand = ['--import', './e2e/support/recorded-responses.ts', 'src/server/start.ts'];
