import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';

export type CardProvider = {
  publishableKey: string;
  /** Where the stand-in's script comes from; null with the provider itself. */
  standInOrigin: string | null;
};

const patienceMs = 15_000;
const standInScript = '/endive/stripe.js';

/**
 * The provider's script, loaded once; a failed try does not stand in the way of the next.
 * @throws Error when it could not be loaded in 15 s
 */
export async function loadCardProvider({ publishableKey, standInOrigin }: CardProvider): Promise<Stripe> {
  const stripe = await withPatience(
    (standInOrigin ? loadStandIn(standInOrigin) : Promise.resolve()).then(() => loadStripe(publishableKey)),
  );
  if (!stripe) throw new Error('The card form works only in a browser.');
  return stripe;
}

/** Where its script has set `window.Stripe`, the official loader uses that and asks nobody else. */
function loadStandIn(origin: string): Promise<void> {
  if (window.Stripe) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = origin + standInScript;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error('The script of the card form could not be loaded.'));
    });
    document.head.append(script);
  });
}

function withPatience<Value>(wanted: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The card form took too long to load.')), patienceMs);
    wanted.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
