import { headers } from 'next/headers';
import type { StripeConfig } from '#components/cards/stripe-loader.ts';
import { sandboxOrigin } from '#src/api/sandbox-origin.ts';
import { services } from '#src/api/services.ts';

export async function stripeConfig(): Promise<StripeConfig> {
  const origin = sandboxOrigin((await headers()).get('host'));
  return {
    publishableKey: services().settings.STRIPE_PUBLISHABLE_KEY ?? '',
    // Pages with real keys do not mention the sandbox.
    ...(origin && { sandboxOrigin: origin }),
  };
}
