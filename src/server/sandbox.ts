import path from 'node:path';
import type { Settings } from '#src/settings.ts';
import type { InstallationSecrets } from './secrets.ts';

export function needsSandbox(settings: Settings): boolean {
  return settings.PAYMENTS === 'sandbox' || (!settings.DATABASE_URL && !settings.STRIPE_SECRET_KEY);
}

/** @returns the settings that point to the running sandbox, and a function that stops it */
export async function startPaymentsSandbox(
  settings: Settings,
  secrets: InstallationSecrets,
): Promise<{ settings: Partial<Settings>; close: () => Promise<void> }> {
  const { HOST, PORT, DATA_DIR, sandboxPort, publicUrl } = settings;
  // Imported here, so that it is not loaded with real keys.
  const { startSandbox } = await import('#packages/stripe-sandbox/index.ts');
  const reachable = localHost(HOST);
  const origins = [
    publicUrl,
    ...['localhost', '127.0.0.1', reachable].map((host) => `http://${host}:${PORT}`),
  ];
  const sandbox = await startSandbox({
    host: HOST,
    port: sandboxPort,
    dataFile: path.join(path.resolve(DATA_DIR), 'sandbox.sqlite'),
    pageOrigins: [...new Set(origins)],
    secretKey: secrets.sandboxSecretKey,
    publishableKey: secrets.sandboxPublishableKey,
    webhook: { url: `http://${reachable}:${PORT}/api/webhooks/stripe`, secret: secrets.sandboxWebhookSecret },
  });
  const provided = {
    PAYMENTS: 'sandbox' as const,
    STRIPE_SECRET_KEY: secrets.sandboxSecretKey,
    STRIPE_PUBLISHABLE_KEY: secrets.sandboxPublishableKey,
    STRIPE_WEBHOOK_SECRET: secrets.sandboxWebhookSecret,
    STRIPE_API_BASE: `http://${reachable}:${sandboxPort}`,
  };
  return { settings: provided, close: () => sandbox.close() };
}

/** The host name by which this machine reaches a server that listens on `host`. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
