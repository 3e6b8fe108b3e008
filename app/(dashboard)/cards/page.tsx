import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { AddCard } from '#components/cards/add-card.tsx';
import { CardGrid } from '#components/cards/card-grid.tsx';
import { CardsLead } from '#components/cards/cards-lead.tsx';
import { ExpirationTimeline } from '#components/cards/expiration-timeline.tsx';
import type { StripeConfig } from '#components/cards/stripe-loader.ts';
import { RefreshBalance } from '#components/overview/refresh-balance.tsx';
import { PageHeader } from '#components/ui/panel.tsx';
import { presentPayout } from '#src/api/operations/get-payout.ts';
import { presentCard } from '#src/api/schemas.ts';
import { services } from '#src/api/services.ts';
import { cardsMax } from '#src/cards/card.ts';
import { monthIn } from '#src/cards/default-card.ts';
import { sandboxOrigin, stripeJs } from '#src/stripe-js.ts';
import { refreshPage } from '../refresh-page.ts';
import { requireSession } from '../session.ts';

export const metadata: Metadata = { title: 'Cards' };

export default async function CardsPage() {
  const { cards, city, payout } = await requireSession();
  const initialCards = cards.map(presentCard);
  const mismatched = cards.filter(({ postalCodeCheck }) => postalCodeCheck === 'fail');
  const now = monthIn(city.timezone);
  return (
    <>
      {/* A new month begins with a new balance, and other cards may have expired. */}
      <RefreshBalance payout={presentPayout(payout).payout} refreshPage={refreshPage} />
      <PageHeader title="Cards">
        <CardsLead initialCards={initialCards} now={now} cardsMax={cardsMax} />
      </PageHeader>
      <div className="grid gap-6">
        <CardGrid
          initialCards={initialCards}
          now={now}
          mismatchedPostalCodes={mismatched.map(({ uuid }) => uuid)}
        />
        <AddCard config={await stripeConfig()} refreshPage={refreshPage} />
        <ExpirationTimeline initialCards={initialCards} now={now} />
      </div>
    </>
  );
}

async function stripeConfig(): Promise<StripeConfig> {
  const { settings } = services();
  const origin = sandboxOrigin(settings, (await headers()).get('host'));
  return {
    publishableKey: settings.STRIPE_PUBLISHABLE_KEY ?? '',
    // Pages with real keys do not mention the sandbox.
    ...(origin && { sandboxScript: stripeJs(origin).url }),
  };
}
