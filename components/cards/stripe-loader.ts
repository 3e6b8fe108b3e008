import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';

export type StripeConfig = {
  publishableKey: string;
  /** The URL of the sandbox's Stripe.js, if it is used. */
  sandboxScript?: string;
};

const timeoutMs = 15_000;

/**
 * Can be called again after it failed.
 * @throws Error when Stripe.js does not load within 15 seconds
 */
export async function loadStripeSdk(config: StripeConfig): Promise<Stripe> {
  const stripe = await withTimeout(load(config));
  if (!stripe) throw new Error('Stripe.js works only in a browser.');
  return stripe;
}

async function load({ publishableKey, sandboxScript }: StripeConfig): Promise<Stripe | null> {
  if (sandboxScript) await loadScript(sandboxScript);
  return loadStripe(publishableKey);
}

/** `loadStripe` uses `window.Stripe` when it is already defined. */
function loadScript(url: string): Promise<void> {
  if (window.Stripe) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error('The sandbox’s Stripe.js did not load.'));
    });
    document.head.append(script);
  });
}

function withTimeout<Value>(promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Stripe.js did not load in time.')), timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
