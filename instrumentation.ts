/**
 * What a process of Next does once, before its first request. Under our own host it is done already, and doing it again
 * changes nothing; under a plain `next start` nobody else does it.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs' || process.env.NEXT_PHASE === 'phase-production-build') return;
  const [{ judgeClientAddresses }, { startHousekeeping }, { settings }] = await Promise.all([
    import('#http/client-address.ts'),
    import('#http/housekeeping.ts'),
    import('#settings.ts'),
  ]);
  judgeClientAddresses(settings().TRUST_PROXY);
  startHousekeeping();
}
