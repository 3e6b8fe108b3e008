import { headers } from 'next/headers';
import type { CardProvider } from '#components/cards/stripe-loader.ts';
import { standInOrigin } from '#src/server/sandbox-origin.ts';
import { settings } from '#src/settings.ts';

/** What the card form needs to know of the provider, from the settings of this process. */
export async function cardProvider(): Promise<CardProvider> {
  return {
    publishableKey: settings().STRIPE_PUBLISHABLE_KEY ?? '',
    standInOrigin: standInOrigin((await headers()).get('host')),
  };
}
