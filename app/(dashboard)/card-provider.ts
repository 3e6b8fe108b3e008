import { headers } from 'next/headers';
import { standInOrigin } from '#app/stand-in-origin.ts';
import type { CardProvider } from '#components/cards/card-provider.ts';
import { settings } from '#settings.ts';

/** What the card form needs to know of the provider, from the settings of this process. */
export async function cardProvider(): Promise<CardProvider> {
  return {
    publishableKey: settings().STRIPE_PUBLISHABLE_KEY ?? '',
    standInOrigin: standInOrigin((await headers()).get('host')),
  };
}
