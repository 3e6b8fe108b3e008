import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';

export type StripeConfig = {
  publishableKey: string;
  /** Where the sandbox's Stripe.js comes from, if it is used. */
  sandboxOrigin?: string;
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

async function load({ publishableKey, sandboxOrigin }: StripeConfig): Promise<Stripe | null> {
  if (sandboxOrigin) await loadSandboxScript(sandboxOrigin);
  return loadStripe(publishableKey);
}

/** `loadStripe` uses `window.Stripe` when it is already defined. */
function loadSandboxScript(origin: string): Promise<void> {
  if (window.Stripe) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${origin}/endive/stripe.js`;
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
