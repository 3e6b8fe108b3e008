import { defineConfig } from 'vitest/config';

const exclude = ['node_modules/**', '.next/**', 'e2e/**'];

export default defineConfig({
  test: {
    allowOnly: false,
    projects: [
      { test: { name: 'unit', include: ['**/*.test.{ts,tsx}'], exclude: [...exclude, '**/*.db.test.ts'] } },
      {
        test: {
          name: 'database',
          include: ['**/*.db.test.ts'],
          exclude,
          globalSetup: './tools/testing/database-server.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // A connection that was cut is made anew a second or more later.
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
