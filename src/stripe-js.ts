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
