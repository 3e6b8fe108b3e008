import type { Settings } from './settings.ts';

/** Where pages load Stripe.js, and what their Content-Security-Policy and Permissions-Policy (`payment`) allow for it. */
export type StripeJs = { url: string; script: string[]; connect: string[]; frame: string[]; payment: string };

/** @param sandboxOrigin of the payment sandbox, or null for Stripe itself */
export function stripeJs(sandboxOrigin: string | null): StripeJs {
  if (sandboxOrigin) {
    const sources = [sandboxOrigin];
    const url = `${sandboxOrigin}${scriptPath}`;
    return { url, script: sources, connect: sources, frame: sources, payment: sandboxOrigin };
  }
  // https://docs.stripe.com/security/guide#content-security-policy
  const scripts = ['https://js.stripe.com', 'https://*.js.stripe.com'];
  return {
    url: `https://js.stripe.com${scriptPath}`,
    script: scripts,
    connect: ['https://api.stripe.com'],
    frame: [...scripts, 'https://hooks.stripe.com'],
    payment: 'https://js.stripe.com',
  };
}

/** The release that `@stripe/stripe-js` loads. */
const scriptPath = '/endive/stripe.js';

/**
 * The origin of the payment sandbox for a page: the host name of the page's URL with the sandbox port.
 * @param host the request's `Host`
 * @returns null when the real provider is in use
 */
export function sandboxOrigin({ mode, sandboxPort }: Settings, host: string | null): string | null {
  if (mode !== 'sandbox') return null;
  // The client controls this value, and it ends up in a response header, so only a valid host name is accepted.
  const name = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i.exec(host ?? '')?.[1] ?? 'localhost';
  return `http://${name}:${sandboxPort}`;
}
