import type { Instrumentation } from 'next';
import { isTransient } from './db/errors.ts';

/** Runs once per Next process, before the first request. Our own host has already done this; a plain `next start` has not. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs' || process.env.NEXT_PHASE === 'phase-production-build') return;
  await prepare().catch((error: Error) => {
    // Next would go on, and respond to every request with 500. Delete when it exits.
    process.stderr.write(`${error.cause instanceof Error ? error.cause.message : error.message}\n`);
    process.exit(1);
  });
}

async function prepare(): Promise<void> {
  const [{ trustProxies }, { areServicesProvided, services }, { claimPaymentMode }, { startBackgroundJobs }] =
    await Promise.all([
      import('./src/api/client-address.ts'),
      import('./src/api/services.ts'),
      import('./db/payment-mode.ts'),
      import('./src/server/background-jobs.ts'),
    ]);
  if (areServicesProvided()) return;
  const { settings, log, db } = services();
  await claimPaymentMode(db, settings.mode);
  trustProxies(settings.TRUST_PROXY, log);
  startBackgroundJobs(services());
}

/**
 * A failed page shows only Next's digest of the error. The log has the error under the same digest.
 */
export const onRequestError: Instrumentation.onRequestError = async (error, { method }, { routePath }) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { services } = await import('./src/api/services.ts');
  const digest = error instanceof Error && 'digest' in error ? error.digest : undefined;
  const { log, page } = services();
  const render = page.getStore();
  if (render) render.isUnavailable = isTransient(error);
  const status = render?.isUnavailable ? 503 : 500;
  log.error({ requestId: digest, operation: `page ${routePath}`, method, status, error }, 'request');
};
