import path from 'node:path';
import { type InstallationSecrets, localHost, sandboxSettings } from '#src/installation-secrets.ts';
import type { Settings } from '#src/settings.ts';
import { StartError } from './cli-output.ts';

/** @returns the settings that point to the running sandbox, and a function that stops it */
export async function startPaymentsSandbox(
  settings: Settings,
  secrets: InstallationSecrets,
): Promise<{ settings: Partial<Settings>; close: () => Promise<void> }> {
  const { HOST, PORT, DATA_DIR, sandboxPort, publicUrl } = settings;
  // Imported here, so that it is not loaded with real keys.
  const { startSandbox } = await import('#packages/stripe-sandbox/index.ts').catch((cause: Error) => {
    throw new StartError(
      'The payment sandbox is not installed. Set STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY, or build the image with --build-arg DEMO=yes.',
      { cause },
    );
  });
  const reachable = localHost(HOST);
  const sandbox = await startSandbox({
    host: HOST,
    port: sandboxPort,
    dataFile: path.join(path.resolve(DATA_DIR), 'sandbox.sqlite'),
    pageOrigins: [...new Set([publicUrl, `http://${reachable}:${PORT}`])],
    secretKey: secrets.sandboxSecretKey,
    publishableKey: secrets.sandboxPublishableKey,
    webhook: { url: `http://${reachable}:${PORT}/api/webhooks/stripe`, secret: secrets.sandboxWebhookSecret },
  });
  return { settings: sandboxSettings(settings, secrets), close: () => sandbox.close() };
}
