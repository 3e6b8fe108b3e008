/** Where pages load Stripe.js, and what their Content-Security-Policy allows for it. */
type StripeJs = { url: string; script: string[]; connect: string[]; frame: string[] };

/** @param sandboxOrigin of the payment sandbox, or null for Stripe itself */
export function stripeJs(sandboxOrigin: string | null): StripeJs {
  if (sandboxOrigin) {
    const sources = [sandboxOrigin];
    return { url: `${sandboxOrigin}${scriptPath}`, script: sources, connect: sources, frame: sources };
  }
  // https://docs.stripe.com/security/guide#content-security-policy
  const scripts = ['https://js.stripe.com', 'https://*.js.stripe.com'];
  return {
    url: `https://js.stripe.com${scriptPath}`,
    script: scripts,
    connect: ['https://api.stripe.com'],
    frame: [...scripts, 'https://hooks.stripe.com'],
  };
}

/** The release that `@stripe/stripe-js` loads. */
const scriptPath = '/endive/stripe.js';
