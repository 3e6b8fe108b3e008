import type { Instrumentation } from 'next';

/**
 * What a process of Next does once, before its first request. Under our own host it is done already, and doing it again
 * changes nothing; under a plain `next start` nobody else does it.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs' || process.env.NEXT_PHASE === 'phase-production-build') return;
  const [{ judgeClientAddresses }, { services }, { startBackgroundJobs }] = await Promise.all([
    import('./src/api/client-address.ts'),
    import('./src/api/services.ts'),
    import('./src/server/background-jobs.ts'),
  ]);
  const { settings, log } = services();
  judgeClientAddresses(settings.TRUST_PROXY, log);
  startBackgroundJobs(services());
}

/**
 * A page that failed on the server shows its reader Next's digest of the error, and nothing else of it: by that number
 * the log knows what it was.
 */
export const onRequestError: Instrumentation.onRequestError = async (error, { method }, { routePath }) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { services } = await import('./src/api/services.ts');
  const digest = error instanceof Error && 'digest' in error ? error.digest : undefined;
  services().log.error(
    { requestId: digest, operation: `page ${routePath}`, method, status: 500, error },
    'request',
  );
};
