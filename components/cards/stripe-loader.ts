import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';

export type StripeConfig = {
  publishableKey: string;
  /** The URL of the sandbox's Stripe.js, if it is used. */
  sandboxScript?: string;
};

/** Can be called again after it failed. */
export async function loadStripeSdk({ publishableKey, sandboxScript }: StripeConfig): Promise<Stripe> {
  if (sandboxScript) await loadScript(sandboxScript);
  const stripe = await loadStripe(publishableKey);
  if (!stripe) throw new Error('Stripe.js works only in a browser.');
  return stripe;
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
