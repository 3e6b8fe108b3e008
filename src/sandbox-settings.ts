import type { InstallationSecrets } from './installation-secrets.ts';
import type { Settings } from './settings.ts';

/** @returns the settings of a client of the sandbox that the service runs on this machine */
export function sandboxSettings({ HOST, sandboxPort }: Settings, secrets: InstallationSecrets) {
  return {
    STRIPE_SECRET_KEY: secrets.sandboxSecretKey,
    STRIPE_PUBLISHABLE_KEY: secrets.sandboxPublishableKey,
    STRIPE_WEBHOOK_SECRET: secrets.sandboxWebhookSecret,
    STRIPE_API_BASE: `http://${localHost(HOST)}:${sandboxPort}`,
  };
}

/** The host name by which this machine reaches a server that listens on `host`. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
