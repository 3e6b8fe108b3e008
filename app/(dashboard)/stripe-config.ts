import { headers } from 'next/headers';
import type { StripeConfig } from '#components/cards/stripe-loader.ts';
import { sandboxOrigin } from '#src/server/sandbox-origin.ts';
import { settings } from '#src/settings.ts';

export async function stripeConfig(): Promise<StripeConfig> {
  return {
    publishableKey: settings().STRIPE_PUBLISHABLE_KEY ?? '',
    sandboxOrigin: sandboxOrigin((await headers()).get('host')),
  };
}
