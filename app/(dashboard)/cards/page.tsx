import type { Metadata } from 'next';
import { AddCard } from '#components/cards/add-card.tsx';
import { CardList } from '#components/cards/card-list.tsx';
import { PageHeader } from '#components/ui/panel.tsx';
import { presentCard } from '#src/api/schemas/card.ts';
import { monthIn } from '#src/cards/default-card.ts';
import { requireSession } from '../session.ts';
import { stripeConfig } from '../stripe-config.ts';

export const metadata: Metadata = { title: 'Cards' };

export default async function CardsPage() {
  const { cards, city } = await requireSession();
  return (
    <>
      <PageHeader title="Cards">Your newest unexpired card is your default for payments.</PageHeader>
      <div className="grid gap-6">
        <CardList layout="grid" initialCards={cards.map(presentCard)} now={monthIn(city.timezone)} />
        <AddCard heading="h2" config={await stripeConfig()} />
      </div>
    </>
  );
}
