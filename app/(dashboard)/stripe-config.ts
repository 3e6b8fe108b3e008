import { headers } from 'next/headers';
import type { StripeConfig } from '#components/cards/stripe-loader.ts';
import { services } from '#src/api/services.ts';
import { sandboxOrigin } from '#src/stripe-js.ts';

export async function stripeConfig(): Promise<StripeConfig> {
  const { settings } = services();
  const origin = sandboxOrigin(settings, (await headers()).get('host'));
  return {
    publishableKey: settings.STRIPE_PUBLISHABLE_KEY ?? '',
    // Pages with real keys do not mention the sandbox.
    ...(origin && { sandboxOrigin: origin }),
  };
}
