import type { Instrumentation } from 'next';

/**
 * What a process of Next does once, before its first request. Under our own host it is done already, and doing it again
 * changes nothing; under a plain `next start` nobody else does it.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs' || process.env.NEXT_PHASE === 'phase-production-build') return;
  const [{ judgeClientAddresses }, { startHousekeeping }, { settings }] = await Promise.all([
    import('./src/api/client-address.ts'),
    import('./src/server/background-jobs.ts'),
    import('./src/settings.ts'),
  ]);
  judgeClientAddresses(settings().TRUST_PROXY);
  startHousekeeping();
}

/**
 * A page that failed on the server shows its reader Next's digest of the error, and nothing else of it: by that number
 * the log knows what it was.
 */
export const onRequestError: Instrumentation.onRequestError = async (error, { method }, { routePath }) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { log } = await import('./src/log.ts');
  const digest = error instanceof Error && 'digest' in error ? error.digest : undefined;
  log().error({ requestId: digest, operation: `page ${routePath}`, method, status: 500, error }, 'request');
};
